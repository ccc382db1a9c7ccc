import { describe, expect, test } from 'vitest'
import { CometLog, cometLogLevel } from '../../../../../host/chain/consensus/cometbft/comet-log.ts'
import {
  type CometLogLine,
  readCometLine,
} from '../../../../../host/chain/consensus/cometbft/comet-log-line.ts'

describe('a line of the CometBFT log', () => {
  test('is parsed into its level, module and fields', () => {
    const text =
      '{"_msg":"finalizing commit of block","hash":{},"height":7,"level":"info","module":"consensus",' +
      '"num_txs":0,"root":"AB","ts":"2026-11-23T00:00:00Z"}'
    expect(readCometLine(text)).toEqual({
      level: 'info',
      module: 'consensus',
      message: 'finalizing commit of block',
      fields: { hash: '{}', height: 7, num_txs: 0, root: 'AB' },
    })
  })

  test('truncates fields to 500 characters', () => {
    const line = readCometLine(
      JSON.stringify({ _msg: 'm', level: 'error', stack: 'x'.repeat(501) }),
    )
    expect(line?.fields.stack).toBe(`${'x'.repeat(500)}…`)
  })

  test.each([
    'panic: runtime error',
    '{"_msg":',
    '{"level":"info"}',
    '{"_msg":"m","level":"loud"}',
    '{"_msg":"m","level":"constructor"}',
    '',
  ])('is invalid if it is %j', (text) => {
    expect(readCometLine(text)).toBeUndefined()
  })
})

/** Returns what is written for lines, each at its time. */
function written(lines: readonly (readonly [time: number, line: Partial<CometLogLine>])[]) {
  const entries: (readonly [level: string, message: string, fields: object])[] = []
  const at =
    (level: string) =>
    (message: string, fields: object = {}) => {
      entries.push([level, message, fields])
    }
  let now = 0
  const log = new CometLog(
    {
      trace: at('trace'),
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
    },
    () => now,
  )
  for (const [time, line] of lines) {
    now = time
    log.write({ level: 'info', module: 'consensus', message: 'm', fields: {}, ...line })
  }
  return entries
}

describe('the log of the node about CometBFT', () => {
  test('has sync progress at info and other block details at debug', () => {
    expect(
      written([
        [0, { module: 'blocksync', message: 'Block Sync Rate', fields: { height: 100 } }],
        [0, { module: 'main', message: 'service start' }],
        [0, { module: 'consensus', message: 'received proposal' }],
        [0, { module: 'p2p', message: 'Dialing peer', level: 'debug' }],
      ]),
    ).toEqual([
      ['info', 'Block Sync Rate', { module: 'blocksync', height: 100 }],
      ['debug', 'service start', { module: 'main' }],
      ['debug', 'received proposal', { module: 'consensus' }],
      ['trace', 'Dialing peer', { module: 'p2p' }],
    ])
  })

  test('has failures with a peer as warnings and failures of the node as errors', () => {
    const fields = { err: 'EOF', peer: 'a@b' }
    expect(
      written([
        [0, { level: 'error', module: 'p2p', message: 'Stopping peer for error', fields }],
        [0, { level: 'error', module: 'state', message: 'failed', fields: {} }],
      ]),
    ).toEqual([
      ['warn', 'Stopping peer for error', { module: 'p2p', error: 'EOF', peer: 'a@b' }],
      ['error', 'failed', { module: 'state' }],
    ])
  })

  test('has at most five equal lines in ten seconds, and then the number of omitted ones', () => {
    const error = { level: 'error', module: 'p2p', message: 'Error dialing peer' } as const
    const entries = written([
      ...Array.from({ length: 12 }, (_, i) => [i * 100, error] as const),
      [9_999, { ...error, message: 'another' }],
      [10_000, error],
    ])
    expect(entries.map(([, message, fields]) => [message, fields])).toEqual([
      ...Array.from({ length: 5 }, () => ['Error dialing peer', { module: 'p2p' }]),
      ['another', { module: 'p2p' }],
      ['Error dialing peer', { module: 'p2p', suppressed: 7 }],
    ])
  })

  test('requests no more lines from CometBFT than the node writes', () => {
    expect(cometLogLevel('trace')).toBe('debug')
    expect(cometLogLevel('debug')).toBe('info')
    for (const level of ['info', 'warn', 'error']) {
      expect(cometLogLevel(level)).toBe('*:error,blocksync:info,statesync:info,main:info')
    }
  })
})
