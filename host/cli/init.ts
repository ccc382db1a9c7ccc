import { relative } from 'node:path'
import type { Command } from 'commander'
import { nanosecondsNow } from '../base/time.ts'
import type { Fund } from '../chain-types/genesis-presets.ts'
import { lockHome } from '../node/home/home-lock.ts'
import { initializeHome } from '../node/home/initialize-home.ts'
import { parseChainChoice } from './option/chain-choice.ts'
import { fundOption } from './option/fund-option.ts'
import { chooseHome, homeOption } from './option/home-option.ts'

interface InitFlags {
  readonly chainId: string
  readonly home?: string
  readonly overwrite?: true
  readonly fund?: readonly Fund[]
}

const NO_FUNDS =
  'No account has funds: run it again with --overwrite --fund <address>=1000ether before the first start\n'

export function defineInit(command: Command): void {
  command
    .argument('[moniker]', 'name of the node', 'lockstep')
    .requiredOption('--chain-id <ID>', 'chain: 1329, 1328, dev, or any other EVM chain id')
    .addOption(homeOption())
    .option('-o, --overwrite', 'replace app.toml, config.toml and genesis.json')
    .addOption(fundOption())
    .action(async (moniker: string, flags: InitFlags) => {
      const home = chooseHome(flags.home)
      const chain = parseChainChoice(flags.chainId, '1329')
      const lock = lockHome(home)
      try {
        const { genesis, nodeId, written, kept } = await initializeHome(home, {
          ...chain,
          funds: flags.fund ?? [],
          moniker,
          overwrite: flags.overwrite ?? false,
          time: nanosecondsNow(),
        })
        for (const path of written) process.stderr.write(`Wrote ${relative(home.root, path)}\n`)
        for (const path of kept) process.stderr.write(`Kept ${relative(home.root, path)}\n`)
        if (genesis.accounts.length === 0) process.stderr.write(NO_FUNDS)
        const summary = {
          app_message: {},
          chain_id: genesis.consensusChainId,
          gentxs_dir: '',
          moniker,
          node_id: nodeId,
        }
        process.stderr.write(`${JSON.stringify(summary)}\n`)
      } finally {
        lock.release()
      }
    })
}
