package diag

var libertyCodes = []Info{}
