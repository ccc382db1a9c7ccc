import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { renderBanner } from '../../../../host/cli/start/banner.ts'
import { developerAccounts } from '../../../../host/node/home/developer-accounts.ts'
import { homeAt } from '../../../../host/node/home/home.ts'

function configWith(flags: readonly [string, string][] = []) {
  const sources = { directory: '/nonexistent', environment: {}, flags: new Map(flags) }
  return loadConfig(sources).config
}

const urls = {
  rpc: 'http://127.0.0.1:8545',
  ws: 'ws://127.0.0.1:8545',
  explorer: 'http://127.0.0.1:8545/explorer',
  consensus: 'http://127.0.0.1:26657',
}
const home = homeAt('/srv/node')

describe('renderBanner', () => {
  test('shows addresses, chain and home', () => {
    const chainId = 1329n
    const lines = renderBanner({ urls, chainId, home, developers: undefined }).split('\n')
    expect(lines.slice(2)).toEqual([
      '  EVM JSON-RPC   http://127.0.0.1:8545',
      '  WebSocket      ws://127.0.0.1:8545',
      '  Explorer       http://127.0.0.1:8545/explorer',
      '  Consensus RPC  http://127.0.0.1:26657',
      '  Metrics        off',
      '  Payments       off',
      '  Wallets        off',
      '  Chain id       1329 (0x531)',
      '  Home           /srv/node',
      '',
      '',
    ])
  })

  test('shows the ten accounts of a dev chain', async () => {
    const chainId = 31337n
    const { dev } = configWith()
    const developers = await developerAccounts(dev)
    const text = renderBanner({ urls, chainId, home, developers })
    expect(text).toContain(
      '  (0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n',
    )
    expect(text).toContain('  (9) 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720  0x2a87')
    expect(text).toContain('Accounts with 10000 tokens each.')
  })

  test('shows no mnemonic or key that is not from the preset', async () => {
    const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const flags: [string, string][] = [
      ['dev.mnemonic', mnemonic],
      ['dev.accounts', '2'],
      ['dev.balance', '7'],
    ]
    const developers = await developerAccounts(configWith(flags).dev)
    const text = renderBanner({ urls, chainId: 31337n, home, developers })
    expect(text).toContain(
      [
        'Accounts of dev.mnemonic with 7 tokens each, which the node signs for.',
        '  (0) 0x58A57ed9d8d624cBD12e2C467D34787555bB1b25',
        '  (1) 0x0D3eB21b6b21833A4939Cfff4810E9AE0758e12C',
        '',
      ].join('\n'),
    )
    expect(text).not.toContain('winner')
    expect(text).not.toMatch(/0x[0-9a-f]{64}/)
  })

  test('shows the metrics address when there is one', () => {
    const chainId = 1328n
    const metrics = 'http://127.0.0.1:26660/metrics'
    const text = renderBanner({ urls: { ...urls, metrics }, chainId, home, developers: undefined })
    expect(text).toContain(`  Metrics        ${metrics}\n`)
  })
})
