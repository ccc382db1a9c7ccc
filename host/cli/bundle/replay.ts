import type { Command } from 'commander'
import { bundleFiles } from './bundle-file.ts'
import { BundleReader } from './bundle-reader.ts'
import { checkBundles } from './replay-check.ts'
import { chooseTracer, traceBundles } from './replay-trace.ts'

interface ReplayFlags {
  readonly tracer?: string
  readonly tracerConfig?: string
  readonly json?: true
}

export function defineReplay(command: Command): void {
  command
    .argument('<path...>', 'bundles written by `lockstep record`, or folders of them')
    .option('--tracer <NAME|FILE>', "print a tracer's result: its name, or a file with its source")
    .option('--tracer-config <JSON>', 'options of the tracer')
    .option('--json', 'one JSON object per bundle')
    .action(async (given: readonly string[], { tracer, tracerConfig, json }: ReplayFlags) => {
      const paths = given.flatMap(bundleFiles)
      const choice = tracer === undefined ? undefined : chooseTracer(tracer, tracerConfig)
      if (choice === undefined) await checkBundles(paths, json ?? false)
      else await traceBundles(paths, await BundleReader.open(), choice)
    })
}
