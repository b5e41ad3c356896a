package diag

var verilogCodes = []Info{}
