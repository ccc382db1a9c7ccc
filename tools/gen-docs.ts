// Writes the reference pages that come from tables in the source; with --check, as `npm run check`
// has it, it compares them.
import { writeGenerated } from './generated-files.ts'
import { renderDashboard } from './grafana/dashboard.ts'
import { accountCommandPage, commandPage, walletCommandPage } from './reference/command-page.ts'
import { errorPage } from './reference/error-page.ts'
import { consensusKeyPage, keyPage, paymentKeyPage, walletKeyPage } from './reference/key-page.ts'
import { devMethodPage, methodPage } from './reference/method-page.ts'
import { metricPage } from './reference/metric-page.ts'
import { reasonPage } from './reference/reason-page.ts'
import { routePage } from './reference/route-page.ts'

const commands = await commandPage()
const accountCommands = await accountCommandPage()
const walletCommands = await walletCommandPage()

writeGenerated('tools/gen-docs.ts', new URL('../host/', import.meta.url), {
  'base/ERRORS.md': errorPage,
  'cli/ACCOUNT_COMMANDS.md': () => accountCommands,
  'cli/COMMANDS.md': () => commands,
  'cli/WALLET_COMMANDS.md': () => walletCommands,
  'config/CONSENSUS_KEYS.md': consensusKeyPage,
  'config/KEYS.md': keyPage,
  'config/PAYMENT_KEYS.md': paymentKeyPage,
  'config/WALLET_KEYS.md': walletKeyPage,
  'metrics/METRICS.md': metricPage,
  'payments/REASONS.md': reasonPage,
  'rpc/DEV_METHODS.md': devMethodPage,
  'rpc/METHODS.md': methodPage,
  'rpc/ROUTES.md': routePage,
})
writeGenerated('tools/gen-docs.ts', new URL('./grafana/generated/', import.meta.url), {
  'lockstep.json': renderDashboard,
})
