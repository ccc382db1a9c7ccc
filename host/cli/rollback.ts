import type { Command } from 'commander'
import { LockstepError } from '../base/error.ts'
import { hexDigits } from '../base/hex.ts'
import { createLogger } from '../base/log/pino-logger.ts'
import { lockHome } from '../node/home/home-lock.ts'
import type { HomeHeights, RolledBack } from '../node/offline/rollback-request.ts'
import { chooseHome, configOf, homeOption, requireHome } from './option/home-option.ts'
import { withProgress } from './progress/progress.ts'

interface RollbackFlags {
  readonly numBlocks: number
  readonly hard?: true
  readonly unsafeSignAgain?: true
  readonly home?: string
  readonly json?: true
}

const RESUME = 'run `lockstep rollback` again: it finishes the interrupted rollback'

function readCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `--num-blocks: ${text} is not a number of at least 1`,
    {
      hint: 'give the number of heights to go back, as in `lockstep rollback -n 1`',
    },
  )
}

function hexOf(hash: Uint8Array | undefined): string {
  return hash === undefined ? 'unknown' : hexDigits(hash).toUpperCase()
}

function describeStart({ app, appHash, consensus }: HomeHeights): string[] {
  return [
    `Initial App state height=${app} and hash=${hexOf(appHash)}`,
    `Initial Tendermint state height=${consensus}`,
  ]
}

function describeEnd({ height, appHash, stateHash, kept, removed }: RolledBack): string[] {
  const hashes = `App hash ${hexOf(appHash)}, state hash ${hexOf(stateHash)}`
  const lines = [`Rollback complete target height ${height}. ${hashes}`]
  if (kept === height + 1) lines.push(`Block ${kept} is executed again at the next start.`)
  if (kept > height + 1) {
    lines.push(`Blocks ${height + 1} to ${kept} are executed again at the next start.`)
  }
  if (removed) {
    lines.push(
      'Transactions of the removed blocks that are still in the mempool journal become pending again: ' +
        'remove its file in data/ to drop them.',
    )
  }
  return lines
}

export function defineRollback(command: Command): void {
  command
    .option('-n, --num-blocks <N>', 'heights to go back', readCount, 1)
    .option('--hard', 'also remove the blocks; otherwise they are executed again at the next start')
    .option(
      '--unsafe-sign-again',
      'with --hard: let a validator sign the heights of the removed blocks again',
    )
    .addOption(homeOption())
    .option('--json', 'print an object')
    .action(async (flags: RollbackFlags) => {
      const home = chooseHome(flags.home)
      requireHome(home)
      const config = configOf(home)
      const { hard = false, unsafeSignAgain: signAgain = false, numBlocks: blocks } = flags
      if (signAgain && !hard) {
        throw new LockstepError('INVALID_ARGUMENT', '--unsafe-sign-again requires --hard')
      }
      const write = (line: string): void => void process.stderr.write(line)
      const logger = createLogger({ level: 'warn', format: config.logFormat, write })
      const lock = lockHome(home)
      try {
        // Loaded here: help and argument errors need neither the stores nor the engine.
        const { rollBackHome } = await import('../node/offline/rollback-home.ts')
        const stage = { label: 'Rolling back', unit: 'heights', resume: RESUME }
        await withProgress(stage, async (progress) => {
          const print = (lines: readonly string[]): void => {
            if (flags.json === undefined) for (const line of lines) progress.print(line)
          }
          let initial: HomeHeights | undefined
          const done = await rollBackHome(
            { home, config, logger },
            { blocks, hard, signAgain },
            {
              onHeights: (heights, target, isResumed) => {
                initial = heights
                print(describeStart(heights))
                if (isResumed) print([`Finishing the rollback to height ${target}`])
              },
              onStage: (next) => progress.stage(next),
              onProgress: (count) => progress.update(count),
            },
          )
          print(describeEnd(done))
          if (flags.json === true && initial !== undefined) {
            const { app, appHash, consensus } = initial
            const { height, stateHash, kept } = done
            progress.print(
              JSON.stringify({
                initial: { app, appHash: hexOf(appHash), consensus },
                height,
                appHash: hexOf(done.appHash),
                stateHash: hexOf(stateHash),
                blocks: kept,
              }),
            )
          }
        })
      } finally {
        lock.release()
      }
    })
}
