package diag

var netlistCodes = []Info{}
