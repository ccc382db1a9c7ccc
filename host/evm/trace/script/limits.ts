import { LockstepError } from '../../../base/error.ts'

/**
 * The limits of a script. All but `interrupt` count the same on every host: a script ends at the same place
 * everywhere.
 */
export interface ScriptLimits {
  /** UTF-16 units of the script. */
  readonly sourceLength: number
  /** Bytes that the script and its values may take; 256 KiB are always given. */
  readonly memoryBytes: number
  /**
   * Bytes of QuickJS's own stack; a plain call takes about 180. The host's stack must be 32 times as deep,
   * or it may end first, which is the same error but one that the script cannot catch: a worker with
   * `resourceLimits: { stackSizeMb: 16 }` has room for the default.
   */
  readonly stackBytes: number
  /** Calls, turns of loops and backtracks of regular expressions, counted in ten thousands. */
  readonly fuel: number
  /** UTF-16 units of the JSON of the result. */
  readonly resultLength: number
}

/** Fuel for about ten seconds; a step of a light script takes five calls. */
export const DEFAULT_SCRIPT_LIMITS: ScriptLimits = {
  sourceLength: 1 << 20,
  memoryBytes: 128 << 20,
  stackBytes: 512 << 10,
  fuel: 1e9,
  resultLength: 64 << 20,
}

/** QuickJS asks whether to go on once in so many calls and turns of a loop. */
export const FUEL_OF_TICK = 10_000

/** QuickJS cannot be set up in less than 60 KB, and does not survive the attempt. */
export const MIN_MEMORY_BYTES = 256 << 10

/** Room for the functions of the prelude, which scripts call. */
export const MIN_STACK_BYTES = 16 << 10

/** QuickJS has a stack of 5 MiB in its memory, and does not notice when that itself overflows. */
export const MAX_STACK_BYTES = 2 << 20

const WHAT: Readonly<Record<keyof ScriptLimits, string>> = {
  sourceLength: 'characters of source',
  memoryBytes: 'bytes of memory',
  stackBytes: 'bytes of stack',
  fuel: 'calls and turns of loops',
  resultLength: 'characters of result',
}

/** The limits that a node's configuration sets. */
const KEYS: Partial<Readonly<Record<keyof ScriptLimits, string>>> = {
  memoryBytes: 'max_trace_script_bytes',
}

/** The error of a script that went over a limit; names the limit and its key. */
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
