module github.com/wattd/wattd

go 1.26
