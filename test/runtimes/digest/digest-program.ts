import { sha256 } from '@noble/hashes/sha2.js'
import { hexDigits } from '../../../host/base/hex.ts'
import type { Engine } from '../../../host/evm/engine/engine.ts'
import { beginPlan, runPlanned } from '../../../host/evm/execute/replay/plan-run.ts'
import { RecordedState } from '../../../host/evm/state/recorded-state.ts'
import { type Bundle, decodeBundle } from '../../../host/evm/trace/bundle/bundle.ts'
import { runTraceJob } from '../../../host/evm/trace/job/run-trace.ts'
import { ChunkedJsonWriter } from '../../../host/evm/trace/json-writer.ts'
import type { ScriptEngine } from '../../../host/evm/trace/script/sandbox.ts'

// This module imports nothing of a host: it runs in every Node, in browsers, and with the engine on wasmtime.

/** A transaction with all that it reads, and the tracers of its run. */
export interface DigestCase {
  readonly name: string
  /** A bundle as JSON. */
  readonly bundle: string
  /** Tracers whose results are hashed. Without any, the receipt and state changes are hashed. */
  readonly tracers: readonly { readonly tracer: string; readonly config: object }[]
}

export interface DigestMachines {
  readonly engine: Engine
  readonly scripts: () => Promise<ScriptEngine>
}

/** SHA-256 of each case, and of all in order, as hex digits. */
export interface Digests {
  readonly all: string
  readonly cases: Readonly<Record<string, string>>
}

/** Digests, and how many regions of code were compiled for them. */
export interface CompiledDigests extends Digests {
  readonly compiled: number
}

const { signal } = new AbortController()

export async function computeDigests(
  cases: readonly DigestCase[],
  machines: DigestMachines,
): Promise<Digests> {
  const digests: Record<string, string> = {}
  const all = sha256.create()
  for (const one of cases) {
    const digest = await digestOf(one, machines)
    digests[one.name] = hexDigits(digest)
    all.update(digest)
  }
  return { all: hexDigits(all.digest()), cases: digests }
}

async function digestOf(one: DigestCase, machines: DigestMachines): Promise<Uint8Array> {
  const { engine } = machines
  const bundle = decodeBundle(JSON.parse(one.bundle), (bytes) => engine.keccak256(bytes))
  const hash = sha256.create()
  const take = (bytes: Uint8Array) => void hash.update(bytes)
  if (one.tracers.length === 0) await runPlain(bundle, machines, take)
  for (const { tracer, config } of one.tracers) {
    const writer = new ChunkedJsonWriter(take)
    const limits = { structLogBytes: Number.POSITIVE_INFINITY }
    engine.forgetCode()
    await runTraceJob(
      { target: { kind: 'transaction' }, plan: bundle.plan, tracer, config: { ...config }, limits },
      {
        ...machines,
        view: new RecordedState(bundle.reads),
        writer,
        signal,
        pause: () => undefined,
        onReplayed: () => {},
      },
    )
    writer.flush()
  }
  return hash.digest()
}

/** Returns the full outcome and the state changes of the block. */
async function runPlain(
  { plan, reads }: Bundle,
  { engine }: DigestMachines,
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  const run = { engine, plan, view: new RecordedState(reads), signal }
  engine.forgetCode()
  await beginPlan(run)
  const outcome = await runPlanned(run, 0)
  const diff = engine.diff()
  take(new TextEncoder().encode(describe({ outcome, diff })))
}

/** Formats any value as text: bytes in hex, numbers in decimal. */
function describe(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Uint8Array) return hexDigits(part)
    return typeof part === 'bigint' ? part.toString() : part
  })
}
