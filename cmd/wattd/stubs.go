package main

import "github.com/spf13/cobra"

func newNames() *cobra.Command { return &cobra.Command{Use: "names"} }
