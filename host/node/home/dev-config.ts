import type { TomlLiteral } from '../../config/value-type.ts'

/**
 * What app.toml of a new developer's home says otherwise: what a block takes, a simulation takes; a range of
 * logs is given whole, and a trace.
 */
export const DEV_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'evm.max-log-no-block': 0,
  'evm.simulation-gas-limit': 0,
  // A tebibyte: no trace is so long, whatever address the node is served at.
  'evm.max-trace-struct-log-bytes': 1_099_511_627_776,
}
