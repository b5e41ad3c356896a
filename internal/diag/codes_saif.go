package diag

var saifCodes = []Info{}
