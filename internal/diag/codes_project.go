package diag

var projectCodes = []Info{}
