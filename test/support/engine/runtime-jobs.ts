import { BENCH_CASES, type BlockJob, benchJob } from './bench-cases.ts'
import { assemble } from './bytecode.ts'
import { BLOCK, stateWith, transaction } from './engine-fixture.ts'

function call(code: Uint8Array): BlockJob {
  return {
    env: { ...BLOCK, revision: 'Prague' },
    inputs: [transaction()],
    openState: () => stateWith(code),
  }
}

/** Reads, writes, logs, creates a contract, and returns a hash of the results. */
const RETURN_ONE_BYTE = 0x60015ff3
const BUSY = assemble(
  ...[0x2222, 0x1111, 40, 3, 'LOG2', 0, 0, 'LOG0', 5, 'SLOAD', 'POP', 7, 9, 'SSTORE'],
  ...[RETURN_ONE_BYTE, 0, 'MSTORE', 4, 28, 0, 'CREATE', 0, 'MSTORE'],
  ...[32, 0, 'KECCAK256', 32, 'MSTORE', 64, 0, 'RETURN'],
)

/** Calls to test the component from other languages, including those of the benchmark set if it is present. */
export const RUNTIME_JOBS: readonly { readonly name: string; readonly open: () => BlockJob }[] = [
  { name: 'a call that does a bit of all', open: () => call(BUSY) },
  { name: 'a call that reverts', open: () => call(assemble(7, 0, 'MSTORE', 32, 0, 'REVERT')) },
  { name: 'a call that runs out of gas', open: () => call(assemble('JUMPDEST', 0, 'JUMP')) },
  ...BENCH_CASES.slice(0, 4).map((row) => ({
    name: `the bench case ${row.name}`,
    open: () => benchJob(row),
  })),
]
