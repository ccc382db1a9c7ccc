// The public module `lockstep/toolkit`: changing an export changes the API of the package.
export type { Hex } from '../base/hex.ts'
export { type Action, type ActionProvider, defineAction, type Outcome } from '../toolkit/action.ts'
export type { ActionContext } from '../toolkit/action-context.ts'
export { ActionError, type ActionErrorCode } from '../toolkit/action-error.ts'
export type { AgentWallet, WalletTransaction } from '../toolkit/agent-wallet.ts'
export type { Need } from '../toolkit/capability.ts'
export type { NodeConnection } from '../toolkit/chain.ts'
export { Chain } from '../toolkit/chain.ts'
export { createMcpServer } from '../toolkit/mcp/mcp-server.ts'
export type { Network, NetworkConfiguration } from '../toolkit/network.ts'
export { plainText } from '../toolkit/plain-text.ts'
export { PROVIDERS } from '../toolkit/provider/providers.ts'
export {
  openToolkit,
  type Toolkit,
  type ToolkitOptions,
  type Unavailable,
} from '../toolkit/provider/toolkit.ts'
export type { PaymentSettings, PriceFeedSettings } from '../toolkit/settings.ts'
export { privateKeyWallet } from '../toolkit/wallet/private-key-wallet.ts'
export { ServiceWallet, type WalletService } from '../toolkit/wallet/service-wallet.ts'
