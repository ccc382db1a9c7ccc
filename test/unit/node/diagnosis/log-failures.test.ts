import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAILURES, type FailureName } from '../../../../host/base/failure-table.ts'
import { inOrder } from '../../../../host/node/diagnosis/finding.ts'
import { findingsOf, readLogFailures } from '../../../../host/node/diagnosis/log-failures.ts'

/** Lines as this node, seid and CometBFT write them. */
const LINES: Readonly<Record<FailureName, readonly string[]>> = {
  DUPLICATE_SIGNATURE: [
    'Error: Duplicate signature refused: conflicting data at height 7 round 0',
    '{"level":"error","message":"the node ends","error":"Duplicate signature refused: height regression"}',
  ],
  APP_HASH: [
    'wrong Block.Header.AppHash. Expected 5D, got 9A (height 12, block_id 77)',
    'ERR prevote step: ProposalBlock is invalid err="wrong Block.Header.AppHash.  Expected 5D, got 9A"',
    'panic: wrong Block.Header.AppHash: expected 5D, got 9A: app hash mismatch',
  ],
  DATABASE_CORRUPTED: [
    'Error: Database is corrupted: data/chain.db/data.mdb is damaged: page 4',
    'database is corrupted',
  ],
  DATABASE_LOCKED: [
    'Error: failed to initialize database: resource temporarily unavailable (/h is in use by process 4)',
    'panic: failed to initialize database: resource temporarily unavailable',
  ],
  VALIDATOR_FILE: [
    'Error: Private validator file not found: ENOENT',
    'open /root/.sei/config/priv_validator_key.json: no such file or directory',
  ],
  CONSENSUS_HALTED: [
    'Error: Consensus failure - height halted at 12: the clock stood still',
    'ERR CONSENSUS FAILURE!!! err="UPGRADE NEEDED"',
  ],
  HANDSHAKE_ID: [
    'WRN Error dialing peer module=p2p error="auth failure: conn.ID (1e9e) dialed ID (aaaa) mismatch"',
    'ERR failed to handshake with peer err="expected to connect with peer \\"aa\\", got \\"bb\\""',
  ],
  DIAL_REFUSED: [
    'WRN Dial tcp connection refused address=127.0.0.1:26657',
    'ERR error dialing peer err="dial tcp 10.0.0.1:26656: connect: connection refused"',
  ],
  NO_PEERS: ['ERR No peers available', 'WRN no peers available height=4'],
  NO_PEX_PEERS: [
    "WRN Couldn't connect to any seeds component=cometbft module=p2p",
    'INF No addresses to dial. Falling back to seeds module=pex',
    'ERR failed to send request for peers: no available peers to send a PEX request to (retrying)',
  ],
  HANDSHAKE_EOF: [
    'ERR peer handshake failed endpoint={} err=EOF',
    'INF peer handshake failed err=EOF',
    'WRN Error dialing peer module=p2p error="auth failure: secret conn failed: EOF"',
    'WRN Error dialing peer error="auth failure: secret conn failed: read tcp 127.0.0.1:3->127.0.0.1:4: read: connection reset by peer"',
    'WRN Error dialing peer module=p2p error="auth failure: handshake failed: EOF"',
  ],
}

const OPENED = '2026-11-20T12:00:00.000Z INF NodeDB SS is enabled backend=lmdb'

async function find(lines: readonly string[], isFollowing = false, signed?: number) {
  return inOrder(findingsOf(await readLogFailures(lines), 'the log', { isFollowing, signed }))
}

const CASES = (Object.keys(FAILURES) as FailureName[]).flatMap((name) =>
  LINES[name].map((line) => [name, line] as const),
)

test.each(CASES)('the failure %s is recognized in: %s', async (name, line) => {
  const { failures } = await readLogFailures(['INF block height=1', line, 'INF stopped'])
  expect(failures).toEqual([{ name, count: 1, lastLine: 2, lastText: line, isPast: false }])
  const [finding] = await find([line])
  const { text, cause } = FAILURES[name]
  expect(finding?.what).toBe(`${text}: ${cause} (the log, line 1: ${line.trim()})`)
  expect(finding?.remedy).toBe(FAILURES[name].remedy)
})

test('the table of failures has every message of the contract', () => {
  // The rows of the table in part C, as written there.
  const texts = [
    'Consensus failure - height halted',
    'Private validator file not found',
    'Duplicate signature',
    'Dial tcp connection refused',
    'No peers available',
    'Database is corrupted',
    'wrong Block.Header.AppHash. Expected <hash>, got <hash>',
    'failed to handshake with peer',
    'failed to send request for peers: no available peers to send a PEX request to',
    'peer handshake failed ... err=EOF',
    'failed to initialize database: resource temporarily unavailable',
  ]
  expect(
    Object.values(FAILURES)
      .map(({ text }) => text as string)
      .sort(),
  ).toEqual(texts.sort())
  const page = readFileSync(new URL('../../../../host/base/ERRORS.md', import.meta.url), 'utf8')
  for (const text of texts) expect(page).toContain(`| \`${text}\` |`)
})

describe("doctor's findings from a log", () => {
  test('put an app hash before the peer errors that follow from it, in any order of lines', async () => {
    const findings = await find([
      LINES.HANDSHAKE_EOF[0] ?? '',
      LINES.NO_PEX_PEERS[0] ?? '',
      LINES.CONSENSUS_HALTED[0] ?? '',
      LINES.APP_HASH[0] ?? '',
      LINES.HANDSHAKE_EOF[0] ?? '',
    ])
    expect(findings.map(({ subject }) => subject)).toEqual([
      'app hash',
      'consensus',
      'peers',
      'peers',
    ])
    const [, , pex, eof] = findings
    for (const symptom of [pex, eof]) {
      expect(symptom?.remedy).toMatch(
        /^it usually follows from "wrong Block\.Header\.AppHash.*": fix that first; then /,
      )
    }
    expect(eof?.what).toContain('(the log, 2 times, last in line 5: ')
  })

  test('omit what a later start has overcome, but never a double signature', async () => {
    const lines = [LINES.APP_HASH[0] ?? '', LINES.DUPLICATE_SIGNATURE[0] ?? '', OPENED]
    expect((await find(lines)).map(({ subject }) => subject)).toEqual(['signing'])
    expect((await find([...lines, LINES.APP_HASH[0] ?? ''])).map(({ subject }) => subject)).toEqual(
      ['signing', 'app hash'],
    )
  })

  test('omit what a completed start has overcome, but not a start that only opened its stores', async () => {
    const halted = LINES.APP_HASH[0] ?? ''
    const before = ['2026-11-20T12:00:00.000Z INF started rpc=x', halted]
    expect(await find([...before, OPENED])).toHaveLength(1)
    expect(await find([...before, OPENED, '2026-11-20T12:00:00.000Z INF started rpc=x'])).toEqual(
      [],
    )
    expect(await find([halted, '{"level":"info","message":"started"}'])).toEqual([])
  })

  test('warn of a double signature after the node restarted and signed later heights', async () => {
    const refused = LINES.DUPLICATE_SIGNATURE[0] ?? ''
    const lines = [refused, OPENED, '2026-11-20T12:00:00.000Z INF started rpc=x']
    const severities = async (signed?: number) =>
      (await find(lines, false, signed)).map(({ severity }) => severity)
    expect(await severities()).toEqual(['fault'])
    expect(await severities(7)).toEqual(['fault'])
    expect(await severities(8)).toEqual(['warning'])
    expect((await find([refused], false, 8))[0]?.severity).toBe('fault')
  })

  test('omit missing peers once there were some', async () => {
    const lines = [LINES.NO_PEERS[0] ?? '', LINES.DIAL_REFUSED[1] ?? '']
    expect((await find(lines)).map(({ severity }) => severity)).toEqual(['fault', 'fault'])
    expect(await find([...lines, 'INF connected to peers peers=1'])).toEqual([])
    expect(await find([...lines, 'INF a server of blocks answers again server=x'])).toEqual([])
  })

  test("report CometBFT's refused dials as warnings, since the nodes of a network start one after another", async () => {
    const refused = 'dial tcp 127.0.0.1:26656: connect: connection refused'
    const lines = [
      `WRN Error dialing peer component=cometbft module=p2p error="${refused}"`,
      `WRN Error dialing seed component=cometbft module=p2p error="${refused}"`,
    ]
    for (const line of lines) expect((await find([line]))[0]?.severity).toBe('warning')
  })

  test('about peers are warnings while the node keeps up with the chain', async () => {
    const lines = [LINES.DIAL_REFUSED[0] ?? '']
    expect((await find(lines))[0]?.severity).toBe('fault')
    expect((await find(lines, true))[0]?.severity).toBe('warning')
  })
})

test('the release of the latest start is read from either log format', async () => {
  const plain = '2026-11-20T12:00:00.000Z INF starting version=0.1.0 node=v22.18.0 pid=4 home=/h'
  const json =
    '{"level":"info","time":"2026-11-20T12:00:00.000Z","version":"0.2.0","node":"v24.1.0","message":"starting"}'
  expect((await readLogFailures([plain])).started).toEqual({ version: '0.1.0', node: 'v22.18.0' })
  expect((await readLogFailures([plain, json])).started).toEqual({
    version: '0.2.0',
    node: 'v24.1.0',
  })
})
