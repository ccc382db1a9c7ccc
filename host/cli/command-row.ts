import type { Command } from 'commander'
import type { ErrorCode } from '../base/error.ts'

/** One command. Its file is loaded only when it runs or its help is shown. */
export interface CommandRow {
  readonly name: string
  /** The parent command. */
  readonly group?: GroupName
  readonly summary: string
  /** A complete command line, shown at the end of its help and in COMMANDS.md. */
  readonly example: string
  /** Errors specific to this command, beside those that any command may end with. */
  readonly ends?: readonly ErrorCode[]
  /** Loads the function that adds arguments, flags and action to the command. */
  readonly load: () => Promise<(command: Command) => void>
}

export const GROUPS = {
  consensus: {
    summary: 'keys and data of the consensus engine',
    aliases: ['tendermint', 'cometbft'],
  },
  snapshot: {
    summary: 'snapshots of the whole state, for joining nodes',
    aliases: ['snapshots'],
  },
  network: {
    summary: 'several nodes of one chain: create their homes, and run all of them on this machine',
    aliases: [],
  },
  config: {
    summary: 'check and explain the configuration',
    aliases: [],
  },
  keys: {
    summary: 'account keys with passphrases, in the keystore of the home',
    aliases: [],
  },
  tx: {
    summary: 'send transactions signed by keys of the keystore',
    aliases: [],
  },
  migrate: {
    summary: 'change the layout of a home',
    aliases: [],
  },
  genesis: {
    summary: 'the initial state of a new chain',
    aliases: [],
  },
  query: {
    summary: 'read the state of a node, at any height that it keeps',
    aliases: ['q'],
  },
  'query bank': {
    summary: 'balances and denominations',
    aliases: [],
  },
  'query evm': {
    summary: 'accounts, code, storage, transactions',
    aliases: [],
  },
  'query staking': {
    summary: 'validators, delegations and unbondings',
    aliases: [],
  },
  'tx stake': {
    summary: 'delegate, and operate a validator',
    aliases: ['staking'],
  },
  payments: {
    summary: 'payments made over HTTP 402, with payer and resource',
    aliases: [],
  },
  wallet: {
    summary: 'wallets whose keys a separate process holds, and access to them',
    aliases: [],
  },
  'wallet key': {
    summary: 'keys that authorize wallet requests',
    aliases: [],
  },
  'wallet webhooks': {
    summary: 'event notifications to apps, and failed deliveries',
    aliases: [],
  },
  'wallet app': {
    summary: 'apps that may use the wallet API',
    aliases: [],
  },
  'wallet agent': {
    summary: 'agents that may use one wallet and change nothing',
    aliases: [],
  },
  'wallet policy': {
    summary: 'rules for rules for what wallets may sign',
    aliases: [],
  },
  'wallet audit': {
    summary: 'log of wallet requests, executed and refused',
    aliases: [],
  },
  debug: {
    summary: 'sizes and checks of the data of a stopped node, and profiles of a running one',
    aliases: [],
  },
} as const

export type GroupName = keyof typeof GROUPS
