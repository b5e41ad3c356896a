package diag

var vcdCodes = []Info{}
