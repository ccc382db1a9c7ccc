import { resolve } from 'node:path'
import type { TlsOptions } from '../../api/server/certificate-watcher.ts'
import { isLoopbackHost } from '../../api/server/loopback.ts'
import type { Config } from '../../base/config/schema.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { Home } from '../home/home.ts'
import { refuseConfig } from './payment-terms.ts'

/**
 * Returns the gate's certificate; undefined for plain HTTP, which is only for this machine: anyone on the network
 * path could use a proof.
 * @throws CONFIG_INVALID with the remedy
 */
export function paymentTls(
  { address: { host }, insecure, tlsCert, tlsKey }: Config['payments'],
  home: Home,
  logger: Logger,
): TlsOptions | undefined {
  if ((tlsCert === '') !== (tlsKey === '')) {
    const [set, other] = tlsCert === '' ? ['tls-key', 'tls-cert'] : ['tls-cert', 'tls-key']
    refuseConfig(`${set} is set and ${other} is not`, 'write both, or neither for plain HTTP')
  }
  if (tlsCert === '') {
    if (insecure || isLoopbackHost(host)) return undefined
    refuseConfig(
      `address = "${host}" is reached from other machines, and there is no certificate`,
      'write tls-cert and tls-key; or insecure = true if a proxy in front of it has TLS',
    )
  }
  return {
    certificate: resolve(home.root, tlsCert),
    key: resolve(home.root, tlsKey),
    onChange: (change) => {
      if (change.kind === 'renewed') {
        const { names, expires } = change
        logger.info('the certificate was renewed', { names, expires: expires.toISOString() })
      } else {
        const { error } = change
        logger.error('the certificate before is kept', { error, remedy: error.hint })
      }
    },
  }
}
