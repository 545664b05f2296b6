// SPDX-License-Identifier: Apache-2.0
// Upload a table, list the experiments, fit one, with the client that was generated.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	coalescope "coalescope/client"
)

func must[T any](found T, err error) T {
	if err != nil {
		panic(err)
	}
	return found
}

func main() {
	ctx := context.Background()
	client := must(coalescope.NewClientWithResponses(os.Args[1]))
	table := must(os.ReadFile(os.Args[2]))
	sent := must(client.UploadFileWithBodyWithResponse(ctx, &coalescope.UploadFileParams{Filename: "lab.csv"}, "application/octet-stream", bytes.NewReader(table)))
	receipt := sent.JSON201
	if receipt == nil {
		receipt = sent.JSON200
	}
	slug := receipt.Experiment.Slug
	listed := must(client.ListExperimentsWithResponse(ctx, nil))
	there := false
	for _, each := range *listed.JSON200 {
		there = there || each.Slug == slug
	}
	response, resamples := "system_cpu_s", 100
	fit := must(client.CreateFitWithResponse(ctx, slug, coalescope.FitIn{Model: "cpu-overhead", Response: &response, Resamples: &resamples}))
	fmt.Println(there, *fit.JSON200.Estimates["alpha"].Value)
}
