import { LockstepError } from '../../../base/error.ts'

/** Limits of a script. They are counted identically on every host, so a script ends at the same point everywhere. */
export interface ScriptLimits {
  /** UTF-16 units of the script. */
  readonly sourceLength: number
  /** Bytes for the script and its values; at least 256 KiB. */
  readonly memoryBytes: number
  /**
   * Bytes of QuickJS's own stack; a plain call takes about 180. The host's stack must be 32 times larger, or it
   * overflows first: the same error, but one that the script cannot catch. A worker with `resourceLimits: {
   * stackSizeMb: 16 }` suffices for the default.
   */
  readonly stackBytes: number
  /** Calls, loop iterations and regular expression backtracks, counted in steps of ten thousand. */
  readonly fuel: number
  /** UTF-16 units of the result's JSON. */
  readonly resultLength: number
}

/** Fuel for about ten seconds. A step of a light script takes five calls. */
export const DEFAULT_SCRIPT_LIMITS: ScriptLimits = {
  sourceLength: 1 << 20,
  memoryBytes: 128 << 20,
  stackBytes: 512 << 10,
  fuel: 1e9,
  resultLength: 64 << 20,
}

/** Calls and loop iterations between two interrupt checks of QuickJS. */
export const FUEL_OF_TICK = 10_000

/** QuickJS needs at least 60 KB to start, and crashes with less. */
export const MIN_MEMORY_BYTES = 256 << 10

/** The prelude's functions, which scripts call, need this much. */
export const MIN_STACK_BYTES = 16 << 10

/** QuickJS's own stack has 5 MiB, and it does not detect an overflow of that. */
export const MAX_STACK_BYTES = 2 << 20

const WHAT: Readonly<Record<keyof ScriptLimits, string>> = {
  sourceLength: 'characters of source',
  memoryBytes: 'bytes of memory',
  stackBytes: 'bytes of stack',
  fuel: 'calls and loop iterations',
  resultLength: 'characters of result',
}

/** Limits that the node's configuration sets. */
const KEYS: Partial<Readonly<Record<keyof ScriptLimits, string>>> = {
  memoryBytes: 'max_trace_script_bytes',
}

/** Returns the error for an exceeded limit, naming the limit and its configuration key. */
export function limitExceeded(limits: ScriptLimits, name: keyof ScriptLimits): LockstepError {
  const key = KEYS[name]
  const place = key === undefined ? name : `${name}, [evm] ${key}`
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `the script tracer exceeds its limit of ${limits[name]} ${WHAT[name]} (${place})`,
    {
      hint: 'let the script do less, or raise the limit',
      data: { limit: name, ...(key !== undefined && { key: `evm.${key}` }) },
    },
  )
}
