package diag

// Codes of package project.
const (
	ProjFile        Code = "file-unreadable"
	ProjConfig      Code = "config-invalid"
	ProjFileList    Code = "filelist-invalid"
	ProjNoInput     Code = "input-missing"
	ProjNoSDF       Code = "no-sdf"
	ProjNoStim      Code = "no-stimulus"
	ProjOutput      Code = "output-unwritable"
	ProjOutputTaken Code = "output-taken"
)

var projectCodes = []Info{
	{ProjFile, Error, "A file cannot be opened or read.", "Check the path and its permissions."},
	{ProjConfig, Error, "wattd.toml has something that this version does not know, or a value out of range.", "Correct the line that the message names; wattd init writes a file to start from."},
	{ProjFileList, Error, "A line of a file list (-f) is not understood.", "File lists hold files, -v FILE, -f FILE, -y DIR, +incdir+DIR, +define+NAME=VALUE and comments."},
	{ProjNoInput, Error, "Something that every run needs was not given.", "Add the option that the message names, on the command line or in wattd.toml."},
	{ProjNoSDF, Warning, "There is no SDF file: all delays are 0, so no glitch can be seen.", "Add --sdf FILE."},
	{ProjOutput, Error, "An output file cannot be written at its path; nothing was simulated.", "Make the folder, mend its permissions, or choose another path."},
	{ProjOutputTaken, Error, "An output would replace an input or another output; nothing was simulated.", "Choose another path."},
	{ProjNoStim, Note, "There is no stimulus: sources cannot be checked.", "Add --stim FILE."},
}
