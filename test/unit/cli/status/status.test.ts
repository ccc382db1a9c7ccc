import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatStatus } from '../../../../host/cli/status/status.ts'
import { type HttpServer, serveHttp } from '../../../support/http-server.ts'
import { makeHome, removeHome, runCommand } from '../../../support/node/daemon.ts'

const STATUS = {
  node_info: { id: 'ab', network: '1329', moniker: 'alice', version: '0' },
  sync_info: {
    latest_block_height: '12',
    latest_block_time: '2026-01-01T00:00:00Z',
    latest_app_hash: 'AA',
    earliest_block_height: '1',
    catching_up: false,
  },
  validator_info: { address: 'CC', pub_key: { type: 't', value: 'v' }, voting_power: '10' },
}
const LAG = { current_height: 12, max_peer_height: 0, lag: 0 }

let server: HttpServer
let home: string
let answers: Record<string, string>

beforeEach(async () => {
  home = makeHome()
  const envelope = (result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: -1, result })
  answers = { '/status': envelope(STATUS), '/lag_status': envelope(LAG) }
  server = await serveHttp(({ url = '' }, response) => response.end(answers[url] ?? 'no'))
})
afterEach(async () => {
  removeHome(home)
  await server.close()
})

describe('status', () => {
  test('prints the same JSON shape as Cosmos command lines', async () => {
    const node = `tcp://127.0.0.1:${server.port}`
    const { code, stdout, stderr } = await runCommand(['status', '--node', node, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      NodeInfo: STATUS.node_info,
      SyncInfo: STATUS.sync_info,
      ValidatorInfo: { Address: 'CC', PubKey: { type: 't', value: 'v' }, VotingPower: '10' },
      LagStatus: LAG,
    })
    expect(stdout.split('\n')).toHaveLength(2)
  })

  test('prints a line for each value on a terminal', () => {
    expect(formatStatus(STATUS, LAG).split('\n')).toEqual([
      'Node         alice (ab)',
      'Chain        1329',
      'Height       12 at 2026-01-01T00:00:00Z',
      'Earliest     1',
      'App hash     AA',
      'Catching up  no',
      'Lag          0 blocks behind the best peer',
      'Validator    CC (power 10)',
      '',
    ])
    const follower = { ...STATUS, validator_info: { ...STATUS.validator_info, address: '' } }
    expect(formatStatus(follower, { ...LAG, lag: null })).toContain(
      'Lag          unknown: no peer reports its height\nValidator    no: this is a full node\n',
    )
  })

  test('finds the node from the configuration of the home', async () => {
    await runCommand(['init', '--chain-id', '1329', '--home', home])
    const laddr = `[rpc]\nladdr = "tcp://0.0.0.0:${server.port}"\n`
    writeFileSync(join(home, 'config/config.toml'), laddr)
    const { code, stdout } = await runCommand(['status', '--home', home])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).NodeInfo).toEqual(STATUS.node_info)
  })

  test('prints neither user nor password of an address that it cannot use', async () => {
    const node = `http://alice:s3cret@127.0.0.1:${server.port}`
    const { code, stdout, stderr } = await runCommand(['status', '--node', node, '--verbose'])
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
    expect(stderr).toContain(`no node answers at http://127.0.0.1:${server.port}: `)
    expect(stderr).not.toMatch(/alice|s3cret/)
  })

  test('exits with 69 if nothing answers', async () => {
    const node = `http://127.0.0.1:${server.port}`
    await server.close()
    expect(await runCommand(['status', '--node', node])).toEqual({
      code: 69,
      stdout: '',
      stderr:
        `Error: no node answers at ${node}: ECONNREFUSED\n` +
        'Hint: start the node with `lockstep start`, or pass its address with --node\n',
    })
  })

  test('exits with 69 if another service answers', async () => {
    answers = { '/status': '<html>' }
    const { code, stderr } = await runCommand([
      'status',
      '--node',
      `http://127.0.0.1:${server.port}`,
    ])
    expect(code).toBe(69)
    expect(stderr).toContain("/status is not the consensus RPC's answer")
  })
})
