import { runAheadBench } from './ahead.ts'
import { runBrowserBench } from './browser.ts'
import { runChainBench } from './chain.ts'
import { runColdBench } from './cold.ts'
import { runCompiledBench } from './compiled.ts'
import { runDevchainBench } from './devchain.ts'
import { runEngineBench } from './engine.ts'
import { runFloodsBench } from './floods.ts'
import { runNetworkBench } from './network.ts'
import { runPaymentsBench } from './payments.ts'
import { runPrecompileBench } from './precompiles.ts'
import { runReadsBench } from './reads.ts'
import { runServingBench } from './serving.ts'
import { runStartBench } from './start.ts'
import { runStepperBench } from './stepper.ts'
import { runStoreBench } from './store.ts'
import { runTraceBench } from './trace.ts'
import { runWalletBench } from './wallet.ts'
import { runWorstBench } from './worst.ts'

/** One file per benchmark, by its name on the command line. */
const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  ahead: runAheadBench,
  browser: runBrowserBench,
  chain: runChainBench,
  cold: runColdBench,
  compiled: runCompiledBench,
  devchain: runDevchainBench,
  engine: runEngineBench,
  floods: runFloodsBench,
  network: runNetworkBench,
  payments: runPaymentsBench,
  precompiles: runPrecompileBench,
  reads: runReadsBench,
  serving: runServingBench,
  start: runStartBench,
  stepper: runStepperBench,
  store: runStoreBench,
  trace: runTraceBench,
  wallet: runWalletBench,
  worst: runWorstBench,
}

const [name, ...args] = process.argv.slice(2)
const bench = name === undefined ? undefined : BENCHES[name]
if (bench === undefined) {
  console.error(`usage: bench <${Object.keys(BENCHES).join(' | ')}> [options]`)
  process.exitCode = 64
} else {
  await bench(args)
}
