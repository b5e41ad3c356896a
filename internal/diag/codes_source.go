package diag

var sourceCodes = []Info{}
