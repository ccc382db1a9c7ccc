import { LockstepError } from '../base/error.ts'

/** `tracerConfig` as the caller wrote it. */
export type TracerConfig = Readonly<Record<string, unknown>>

/**
 * A switch of a tracer; absent and null are false.
 * @throws INVALID_ARGUMENT where it is no boolean.
 */
export function readFlag(config: TracerConfig, name: string): boolean {
  const value = config[name] ?? false
  if (typeof value === 'boolean') return value
  const kind = Array.isArray(value) ? 'array' : typeof value
  throw new LockstepError('INVALID_ARGUMENT', `${name}: want a boolean, got ${kind}`)
}
