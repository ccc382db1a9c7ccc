/**
 * Appends blocks until the disk is full, and reports how each step ended. Run as a process: `full-disk-writer.ts
 * <json>` of `FullDiskTask`.
 */
import { readSync, writeSync } from 'node:fs'
import { LockstepError } from '../../../host/base/error.ts'
import { openStorage } from '../../../host/storage/store/open-storage.ts'
import type { StorageOptions } from '../../../host/storage/store/storage-options.ts'
import { splitBlock } from '../../unit/storage/store/state/split-blocks.ts'

export interface FullDiskTask {
  readonly seed: number
  readonly options: StorageOptions
  /** Height after which appends stop. */
  readonly heights: number
}

/** How a step ended. */
export interface FullDiskStep {
  readonly step: 'append' | 'settle' | 'next' | 'close'
  /** Latest acknowledged height. */
  readonly acknowledged: number
  /** Undefined if the step succeeded. */
  readonly code?: string | undefined
  readonly message?: string
  readonly hint?: string
}

const { seed, options, heights } = JSON.parse(process.argv[2] ?? '') as FullDiskTask
const storage = await openStorage(options)
let acknowledged = storage.chain.latest

async function append(height: number): Promise<void> {
  await storage.append(splitBlock(seed, height))
  acknowledged = height
}

async function perform(step: FullDiskStep['step'], work: () => Promise<void>): Promise<void> {
  let said: FullDiskStep
  try {
    await work()
    said = { step, acknowledged }
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    const { code, message, hint } = thrown
    said = { step, acknowledged, code, message, hint }
  }
  writeSync(1, `${JSON.stringify(said)}\n`)
}

await perform('append', async () => {
  while (acknowledged + 1 < heights) await append(acknowledged + 1)
})
// The test fills the disk meanwhile.
readSync(0, new Uint8Array(1))
await perform('settle', () => storage.settle())
await perform('next', () => append(acknowledged + 1))
await perform('close', () => storage.close())
