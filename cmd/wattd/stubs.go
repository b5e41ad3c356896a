package main

import "github.com/spf13/cobra"

func newInit() *cobra.Command  { return &cobra.Command{Use: "init"} }
func newNames() *cobra.Command { return &cobra.Command{Use: "names"} }
