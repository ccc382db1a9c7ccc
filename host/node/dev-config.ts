import type { TomlLiteral } from '../config/value-type.ts'

/**
 * What app.toml of a new developer's home says otherwise: what a block takes, a simulation takes, and
 * a range of logs is given whole.
 */
export const DEV_CONFIG: Readonly<Record<string, TomlLiteral>> = {
  'evm.max-log-no-block': 0,
  'evm.simulation-gas-limit': 0,
}
