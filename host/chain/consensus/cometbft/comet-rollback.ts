import { execFile } from 'node:child_process'
import { LockstepError } from '../../../base/error.ts'
import { cometEnvironment } from './comet-process.ts'

export interface CometRollbackOptions {
  readonly program: string
  /** CometBFT's `--home`, whose databases nobody has open. */
  readonly root: string
  /** Removes the newest block too. */
  readonly removesBlock: boolean
}

/** Where CometBFT stands after a step back. */
export interface CometStanding {
  /** Height of its state; its newest block is the next one, unless that was removed. */
  readonly height: number
  /** App hash after that height. */
  readonly appHash: Uint8Array
}

const DONE = /^Rolled back (?:both )?state (?:and block )?to height (\d+) and hash ([0-9A-F]*)$/m

/**
 * Takes CometBFT's state back so that its newest block is executed again, by its own command. Called again it does
 * nothing more, unless it removes blocks: then each call removes the newest.
 * @throws STATE_PRUNED where it has no earlier block, HOME_LOCKED, COMETBFT_FAILED
 */
export function rollBackComet(options: CometRollbackOptions): Promise<CometStanding> {
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
      `cannot rollback: CometBFT has no block before its newest: ${text}`,
      { hint: 'run `lockstep consensus unsafe-reset-all`, and begin again by a state sync', cause },
    )
  }
  const code = text.includes('resource temporarily unavailable') ? 'HOME_LOCKED' : 'COMETBFT_FAILED'
  return new LockstepError(code, `CometBFT: rollback: ${text}`, { cause })
}
