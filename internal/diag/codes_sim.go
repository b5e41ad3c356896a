package diag

var simCodes = []Info{}
