package diag

var designCodes = []Info{}
