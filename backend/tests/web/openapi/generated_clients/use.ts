// SPDX-License-Identifier: Apache-2.0
// Upload a table, list the experiments, fit one, with the client that was generated.
import createClient from "openapi-fetch";
import { readFileSync } from "node:fs";
import type { paths } from "./schema.js";

const [address = "", table = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address });
const sent = await client.POST("/api/uploads", {
  params: { query: { filename: "lab.csv" } },
  body: readFileSync(table) as unknown as string,
  bodySerializer: (body: string) => body,
  headers: { "Content-Type": "application/octet-stream" },
});
const slug = sent.data?.experiment.slug ?? "";
const listed = await client.GET("/api/experiments");
const fit = await client.POST("/api/experiments/{slug}/fits", {
  params: { path: { slug } },
  body: { model: "cpu-overhead", response: "system_cpu_s", resamples: 100, seed: 1 },
});
console.log(listed.data?.some((each) => each.slug === slug), fit.data?.estimates["alpha"]?.value);
