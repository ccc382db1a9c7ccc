import type { Command } from 'commander'
import type { ErrorCode } from '../base/error.ts'

/** One command. Its file is loaded when it is run or asked for help, not before. */
export interface CommandRow {
  readonly name: string
  /** The command it stands under. */
  readonly group?: GroupName
  readonly summary: string
  /** A whole command line: the last lines of its help, and its row in COMMANDS.md. */
  readonly example: string
  /** Errors that this command is run to find, beside those that any command may end with. */
  readonly ends?: readonly ErrorCode[]
  /** Loads what gives the command its arguments, flags and action. */
  readonly load: () => Promise<(command: Command) => void>
}

export const GROUPS = {
  consensus: {
    summary: 'keys and data of the consensus engine',
    aliases: ['tendermint', 'cometbft'],
  },
  snapshot: {
    summary: 'snapshots of the whole state, for nodes that join',
    aliases: ['snapshots'],
  },
  network: {
    summary: 'several nodes of one chain: their homes, and all of them on this machine',
    aliases: [],
  },
  config: {
    summary: 'what the configuration is, and what is wrong with it',
    aliases: [],
  },
  keys: {
    summary: 'keys of accounts, under passphrases, in the keystore of the home',
    aliases: [],
  },
  tx: {
    summary: 'send transactions signed by keys of the keystore',
    aliases: [],
  },
  migrate: {
    summary: 'changes of the layout of a home',
    aliases: [],
  },
  genesis: {
    summary: 'what a new chain begins with, before its first block',
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
    summary: 'what was paid over HTTP 402, by whom and for what',
    aliases: [],
  },
  wallet: {
    summary: 'wallets whose keys a process of its own holds, and who may use them',
    aliases: [],
  },
  'wallet key': {
    summary: 'keys that authorize what wallets do',
    aliases: [],
  },
  'wallet webhooks': {
    summary: 'what apps are told of, and what could not be delivered',
    aliases: [],
  },
  'wallet app': {
    summary: 'who may use the API of the wallets',
    aliases: [],
  },
  'wallet agent': {
    summary: 'who may use one wallet, and change nothing',
    aliases: [],
  },
  'wallet policy': {
    summary: 'what wallets may sign',
    aliases: [],
  },
  'wallet audit': {
    summary: 'what was done with the wallets, and what was refused',
    aliases: [],
  },
  debug: {
    summary: 'sizes and checks of the data of a stopped node',
    aliases: [],
  },
} as const

export type GroupName = keyof typeof GROUPS
