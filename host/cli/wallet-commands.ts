import type { CommandRow } from './command-row.ts'

/** Commands for wallets. */
export const WALLET_COMMANDS: readonly CommandRow[] = [
  {
    name: 'register',
    group: 'wallet key',
    summary: 'register an authorization key at the running service, and print its registration',
    example:
      'lockstep wallet key register MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE --app-id 7f0a3c5d9e1b2a4c6d8e0f12 --app-secret-file secret',
    ends: ['NODE_UNREACHABLE', 'REFUSED_ARGUMENT'],
    load: async () => (await import('./wallet/key-register.ts')).defineKeyRegister,
  },
  {
    name: 'create',
    group: 'wallet app',
    summary: 'create an app of the wallet API, and print its id and its secret once',
    example: 'lockstep wallet app create shop --json',
    load: async () => (await import('./wallet/app-create.ts')).defineAppCreate,
  },
  {
    name: 'list',
    group: 'wallet app',
    summary: 'list the apps, oldest first',
    example: 'lockstep wallet app list',
    load: async () => (await import('./wallet/app-list.ts')).defineAppList,
  },
  {
    name: 'rotate-secret',
    group: 'wallet app',
    summary: 'replace the secret of an app: the old one is refused at once',
    example: 'lockstep wallet app rotate-secret 7f0a3c5d9e1b2a4c6d8e0f12',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./wallet/app-rotate-secret.ts')).defineAppRotateSecret,
  },
  {
    name: 'delete',
    group: 'wallet app',
    summary: 'delete an app',
    example: 'lockstep wallet app delete 7f0a3c5d9e1b2a4c6d8e0f12',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./wallet/app-delete.ts')).defineAppDelete,
  },
  {
    name: 'create',
    group: 'wallet agent',
    summary:
      'let an agent use one wallet within its policies, and print its id and its secret once',
    example:
      'lockstep wallet agent create --app 7f0a3c5d9e1b2a4c6d8e0f12 --wallet k3v9x2m7q1w8r5t0y4u6i2o1 --expires 30d --json',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./wallet/agent-create.ts')).defineAgentCreate,
  },
  {
    name: 'list',
    group: 'wallet agent',
    summary: 'list the agents, oldest first, including revoked and expired ones',
    example: 'lockstep wallet agent list --app 7f0a3c5d9e1b2a4c6d8e0f12',
    load: async () => (await import('./wallet/agent-list.ts')).defineAgentList,
  },
  {
    name: 'revoke',
    group: 'wallet agent',
    summary: 'revoke the credentials of an agent from its next request on',
    example: 'lockstep wallet agent revoke agent_7f0a3c5d9e1b2a4c6d8e0f12',
    ends: ['NOT_FOUND'],
    load: async () => (await import('./wallet/agent-revoke.ts')).defineAgentRevoke,
  },
  {
    name: 'test',
    group: 'wallet policy',
    summary:
      'evaluate a policy for an action as the signer would, and print the deciding rules and values',
    example: 'lockstep wallet policy test policy.json action.json --json',
    ends: ['POLICY_DENIES', 'INVALID_RLP', 'TRANSACTION_REJECTED'],
    load: async () => (await import('./wallet/policy-test.ts')).definePolicyTest,
  },
  {
    name: 'verify',
    group: 'wallet audit',
    summary:
      'check the audit log for changed, moved, added or removed entries; also while the node runs',
    example: 'lockstep wallet audit verify',
    ends: ['FAULTS_FOUND'],
    load: async () => (await import('./wallet/audit-verify.ts')).defineAuditVerify,
  },
  {
    name: 'rotate-master-key',
    group: 'wallet',
    summary: 'wrap the keys of all wallets of a stopped node with a new master key',
    example: 'lockstep wallet rotate-master-key',
    ends: ['MASTER_KEY_WRONG'],
    load: async () => (await import('./wallet/rotate-master-key.ts')).defineRotateMasterKey,
  },
  {
    name: 'list',
    group: 'wallet webhooks',
    summary: 'list the webhooks of all apps, and the latest events with their delivery state',
    example: 'lockstep wallet webhooks list --state dead',
    load: async () => (await import('./wallet/webhooks-list.ts')).defineWebhooksList,
  },
  {
    name: 'replay',
    group: 'wallet webhooks',
    summary: 'deliver events again, by default the dead ones; a running node starts at once',
    example: 'lockstep wallet webhooks replay --since 72h',
    load: async () => (await import('./wallet/webhooks-replay.ts')).defineWebhooksReplay,
  },
]
