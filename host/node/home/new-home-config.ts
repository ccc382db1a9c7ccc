import type { TomlLiteral } from '../../base/config/value-type.ts'

/**
 * The keys of app.toml that a new developer's home sets otherwise than the table: a simulation may use what a block
 * may use, a range of logs and a trace are given whole, and transactions are found by address.
 */
export const DEV_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'evm.address-index': true,
  'evm.max-log-no-block': 0,
  'evm.simulation-gas-limit': 0,
  // A tebibyte: no trace is so long, whatever address the node is served at.
  'evm.max-trace-struct-log-bytes': 1_099_511_627_776,
}

/** The keys that a new home of an imported chain sets otherwise: every state is kept. */
export const ARCHIVE_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'state-store.ss-keep-recent': 0,
}
