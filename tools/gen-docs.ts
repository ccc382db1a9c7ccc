// Writes the reference pages that come from tables in the source. With --check, as in `npm run check`, compares them.
import { writeGenerated } from './generated-files.ts'
import { renderDashboard } from './grafana/dashboard.ts'
import {
  accountCommandPage,
  anvilCommandPage,
  commandPage,
  queryCommandPage,
  walletCommandPage,
} from './reference/command-page.ts'
import { errorPage } from './reference/error-page.ts'
import { consensusKeyPage, keyPage, paymentKeyPage, walletKeyPage } from './reference/key-page.ts'
import { devMethodPage, methodPage } from './reference/method-page.ts'
import { metricPage } from './reference/metric-page.ts'
import { reasonPage } from './reference/reason-page.ts'
import { routePage } from './reference/route-page.ts'

const commands = await commandPage()
const accountCommands = await accountCommandPage()
const queryCommands = await queryCommandPage()
const walletCommands = await walletCommandPage()
const anvilCommand = await anvilCommandPage()

writeGenerated('tools/gen-docs.ts', new URL('../host/', import.meta.url), {
  'api/rpc/DEV_METHODS.md': devMethodPage,
  'api/rpc/METHODS.md': methodPage,
  'api/rpc/ROUTES.md': routePage,
  'base/ERRORS.md': errorPage,
  'base/config/CONSENSUS_KEYS.md': consensusKeyPage,
  'base/config/KEYS.md': keyPage,
  'base/config/PAYMENT_KEYS.md': paymentKeyPage,
  'base/config/WALLET_KEYS.md': walletKeyPage,
  'base/metrics/METRICS.md': metricPage,
  'cli/ACCOUNT_COMMANDS.md': () => accountCommands,
  'cli/COMMANDS.md': () => commands,
  'cli/QUERY_COMMANDS.md': () => queryCommands,
  'cli/WALLET_COMMANDS.md': () => walletCommands,
  'cli/ANVIL_COMMAND.md': () => anvilCommand,
  'payments/REASONS.md': reasonPage,
})
writeGenerated('tools/gen-docs.ts', new URL('./grafana/generated/', import.meta.url), {
  'lockstep.json': renderDashboard,
})
