// Signs one height after another, each for its own block, writes each published signature, and kills itself in place
// of one of the calls that write the records.
import { dirname } from 'node:path'
import { hexDigits } from '../../../host/base/hex.ts'
import { loadValidator } from '../../../host/chain/consensus/validator/validator.ts'
import { FileFaults } from '../../support/store/file-faults.ts'

interface SigningTask {
  readonly keyPath: string
  readonly statePath: string
  readonly chainId: string
  /** Index of the fatal call, or undefined to end after the heights. */
  readonly fatal?: number
  readonly heights: readonly number[]
  /** First byte of the hash of each block. */
  readonly block: number
}

const task = JSON.parse(process.argv[2] ?? '') as SigningTask
const faults = await FileFaults.install(dirname(task.keyPath), () => {
  process.kill(process.pid, 'SIGKILL')
  // The signal may arrive after the call that sent it returns.
  for (;;);
})
const validator = await loadValidator(task.keyPath, task.statePath)
faults.arm(task.fatal)
for (const height of task.heights) {
  const hash = new Uint8Array(32).fill(task.block)
  const blockId = { hash, parts: { total: 1, hash } }
  try {
    const { signature } = await validator.signPrecommit(task.chainId, {
      height,
      round: 0,
      blockId,
      timestamp: BigInt(task.block),
    })
    process.stdout.write(`${JSON.stringify({ height, signature: hexDigits(signature) })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ height, refused: (error as Error).message })}\n`)
  }
}
process.stdout.write(`${JSON.stringify({ calls: faults.calls })}\n`)
