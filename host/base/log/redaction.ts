import { formatData } from '../hex.ts'
import type { LogFields } from './logger.ts'

/** Names of secret fields, in lower case without separators. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'privatekey',
  'privkey',
  'secretkey',
  'secret',
  'appsecret',
  'mnemonic',
  'seed',
  'password',
  'passphrase',
  'accesstoken',
  'bearertoken',
  'jwt',
  'authorization',
  'authorizationkey',
  'apikey',
  'cookie',
])

/** Deep enough for every record of the node; it also ends a cycle. */
const MAX_DEPTH = 6

function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name.replace(/[-_\s]/g, '').toLowerCase())
}

function readable(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return formatData(value)
  if (value instanceof Error) return value.message
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (depth === MAX_DEPTH) return '[deep]'
  if (Array.isArray(value)) return value.map((item) => readable(item, depth + 1))
  return redactAt(value as LogFields, depth + 1)
}

function redactAt(fields: LogFields, depth: number): LogFields {
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    isSecret(name) ? '[redacted]' : readable(value, depth),
  ])
  return Object.fromEntries(shown)
}

/** Returns fields as they are logged: secrets replaced, bytes in hex, bigints in decimal. */
export function redact(fields: LogFields): LogFields {
  return redactAt(fields, 0)
}
