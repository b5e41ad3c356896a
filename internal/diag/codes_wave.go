package diag

var waveCodes = []Info{}
