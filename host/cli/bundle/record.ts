import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { LockstepError, messageOf } from '../../base/error.ts'
import { writeFileAtomic } from '../../chain/consensus/validator/atomic-file.ts'
import {
  describeDifference,
  openReplayer,
  type Recording,
  type Replayer,
} from '../../entry/replay.ts'
import { encodeDigests } from '../../evm/trace/bundle/step-digest.ts'
import { askNode, parseUrl } from '../client/node-client.ts'
import { type Progress, withProgress } from '../progress/progress.ts'
import { count } from './difference-facts.ts'
import { countTargets, type RecordTarget, recordTargets } from './record-target.ts'

interface RecordFlags {
  readonly url: string
  readonly out: string
  readonly force?: true
}

const RESUME = 'the written files are complete: name the other targets, or add --force'

/** The part of a bundle's JSON that digests are added to; the caller has checked the rest. */
interface Recordable {
  readonly bundle: { readonly transactions: Record<string, unknown>[] }
}

function fileName(target: RecordTarget): string {
  return target.kind === 'transaction' ? `tx-${target.hash}.json` : `block-${target.height}.json`
}

function fetchBundle(url: string, target: RecordTarget, signal: AbortSignal): Promise<unknown> {
  return target.kind === 'transaction'
    ? askNode(url, 'debug_traceStateAccess', [target.hash], signal)
    : askNode(url, 'debug_traceBlockStateAccess', [`0x${target.height.toString(16)}`], signal)
}

function isOf({ scope, height, transactions }: Recording, target: RecordTarget): boolean {
  if (target.kind === 'block') return scope === 'block' && height === target.height
  return scope === 'transaction' && transactions[0] === target.hash
}

/** Replays a bundle and adds the digests of its steps. Returns the number of steps. */
async function addDigests(
  json: unknown,
  target: RecordTarget,
  replayer: Replayer,
  signal: AbortSignal,
): Promise<number> {
  const name = fileName(target)
  const recording = await replayer.read(json)
  if (!isOf(recording, target)) {
    throw new LockstepError('BUNDLE_INVALID', `the node's answer is not ${name} but another bundle`)
  }
  const { digests, difference } = await recording.replay({ signal })
  if (difference !== undefined) {
    const text = `${name} does not run here as it did: ${describeDifference(difference)}`
    throw new LockstepError('REPLAY_DIFFERS', text, {
      hint: 'record with the release that the node runs; if it is this one, report it',
    })
  }
  const { transactions } = (json as Recordable).bundle
  for (const [i, steps] of digests.entries()) {
    Object.assign(transactions[i] as object, { steps: encodeDigests(steps) })
  }
  return digests.reduce((sum, { length }) => sum + length, 0)
}

async function record(
  target: RecordTarget,
  { url, out, force }: RecordFlags,
  replayer: Replayer,
  progress: Progress,
): Promise<void> {
  const { signal } = progress
  const path = join(out, fileName(target))
  if (force === undefined && existsSync(path)) {
    throw new LockstepError('INVALID_ARGUMENT', `${path} exists already`, {
      hint: 'pass --force to overwrite it, or --out for another folder',
    })
  }
  const json = await fetchBundle(url, target, signal)
  const steps = await addDigests(json, target, replayer, signal)
  const { transactions } = (json as Recordable).bundle
  await writeFileAtomic(path, `${JSON.stringify(json, null, 2)}\n`)
  const what = `${count(transactions.length, 'transaction')}, ${count(steps, 'step')}`
  progress.print(`${path}  ${what}`)
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (cause) {
    const text = `--out: cannot create the folder ${path}: ${messageOf(cause)}`
    throw new LockstepError('INVALID_ARGUMENT', text, { cause })
  }
}

export function defineRecord(command: Command): void {
  command
    .argument('<target...>', 'transaction hash, block (number, hex or tag), or range of blocks A-B')
    .option('--url <URL>', 'EVM JSON-RPC of the node', 'http://127.0.0.1:8545')
    .option('--out <DIR>', 'folder for the files', '.')
    .option('--force', 'overwrite existing files')
    .action(async (targets: readonly string[], flags: RecordFlags) => {
      const url = parseUrl(flags.url)
      makeFolder(flags.out)
      const total = targets.reduce((sum, word) => sum + countTargets(word), 0)
      await withProgress(
        { label: 'Recording', unit: 'bundles', total, resume: RESUME },
        async (progress) => {
          const replayer = await openReplayer()
          let done = 0
          for (const word of targets) {
            for await (const target of recordTargets(word, url, progress.signal)) {
              await progress.update(done++)
              await record(target, flags, replayer, progress)
            }
          }
        },
      )
    })
}
