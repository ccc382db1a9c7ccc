import { execFile } from 'node:child_process'
import { LockstepError } from '../../../base/error.ts'
import { cometEnvironment } from './comet-process.ts'

export interface CometRollbackOptions {
  readonly program: string
  /** CometBFT's `--home`. No process may have its databases open. */
  readonly root: string
  /** True to remove the latest block too. */
  readonly removesBlock: boolean
}

/** CometBFT's state after a rollback. */
export interface CometRollbackResult {
  /** Height of its state. Its latest block is one higher unless it was removed. */
  readonly height: number
  /** App hash after that height. */
  readonly appHash: Uint8Array
}

const DONE = /^Rolled back (?:both )?state (?:and block )?to height (\d+) and hash ([0-9A-F]*)$/m

/**
 * Rolls back CometBFT's state by one height with its `rollback` command, so that its latest block is executed again.
 * Repeated calls have no effect unless they remove blocks: then each call removes the latest one.
 * @throws STATE_PRUNED if it has no earlier block, HOME_LOCKED, COMETBFT_FAILED
 */
export function rollBackComet(options: CometRollbackOptions): Promise<CometRollbackResult> {
  const { program, root, removesBlock } = options
  const args = ['rollback', '--home', root, ...(removesBlock ? ['--hard'] : [])]
  return new Promise((resolve, reject) => {
    execFile(program, args, { env: cometEnvironment() }, (error, stdout, stderr) => {
      const done = DONE.exec(stdout)
      if (error === null && done !== null) {
        const [, height, hash] = done
        resolve({
          height: Number(height),
          appHash: Uint8Array.from(Buffer.from(hash ?? '', 'hex')),
        })
        return
      }
      const said = `${stderr}\n${stdout}`.trim().split('\n')
      reject(errorOf(said.find((line) => line.startsWith('ERROR:')) ?? said.at(-1) ?? '', error))
    })
  })
}

function errorOf(said: string, cause: unknown): LockstepError {
  const text = said.replace(/^ERROR: (?:failed to rollback state: )?/, '')
  if (/not found|no (?:state|blockstore|statestore) found/.test(text)) {
    return new LockstepError(
      'STATE_PRUNED',
      `cannot rollback: CometBFT has no block before its latest: ${text}`,
      { hint: 'run `lockstep consensus unsafe-reset-all`, and restart with state sync', cause },
    )
  }
  const code = text.includes('resource temporarily unavailable') ? 'HOME_LOCKED' : 'COMETBFT_FAILED'
  return new LockstepError(code, `CometBFT: rollback: ${text}`, { cause })
}
