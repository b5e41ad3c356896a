package diag

var sdfCodes = []Info{}
