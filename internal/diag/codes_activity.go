package diag

var activityCodes = []Info{}
