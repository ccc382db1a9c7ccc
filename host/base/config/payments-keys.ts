import { key, secretKey } from './config-key.ts'
import {
  accountAddress,
  accountAddressList,
  bool,
  choice,
  databaseUrl,
  duration,
  gasPriceType,
  httpUrl,
  integerType,
  listenAddress,
  optionalTokenAmount,
  textType,
  tokenAmountType,
} from './value-type.ts'

/** The keys of [payments] in app.toml: resources sold by request. */
export const PAYMENTS_KEYS = {
  enable: key(
    bool(),
    false,
    'serve resources for payment (HTTP 402); --dev alone serves two of them',
  ),
  address: key(
    listenAddress(),
    '127.0.0.1:8402',
    'address that they are served at; port 0 picks a free one',
  ),
  'public-url': key(
    httpUrl(),
    '',
    'public URL of that address, such as https://pay.example.com behind a proxy; empty uses the Host header',
  ),
  store: secretKey(
    databaseUrl(),
    '',
    'PostgreSQL database of the payments, which any number of gates share; needs the package pg; ' +
      'empty means the folder data/payments',
  ),
  network: key(
    textType('NAME'),
    '',
    'name of the chain in x402 v1; empty means the published name of its chain id',
  ),
  asset: key(
    accountAddress(),
    '',
    'contract of the payment token; empty means the dev token under --dev',
  ),
  'pay-to': key(
    accountAddress(),
    '',
    'account that receives payments; empty means the last of the dev accounts under --dev',
  ),
  binding: key(
    choice('BINDING', ['bearer', 'reference', 'signed', 'eip3009']),
    'bearer',
    'what a payment must prove beside that it was made: nothing, the reference of its challenge, ' +
      "its payer's signature over the request, or that it is an EIP-3009 authorization",
  ),
  'max-timeout': key(
    duration(1000),
    '5m0s',
    'time after a challenge within which the chain must include its payment',
  ),
  'clock-skew': key(
    duration(),
    '30s',
    'how much older than its challenge the block of a payment may be',
  ),
  'receipt-deadline': key(
    duration(),
    '5s',
    'time that a request waits for the block of its payment',
  ),
  'proof-lifetime': key(
    duration(1000),
    '1h0m0s',
    'time after its block within which a payment may be presented',
  ),
  'max-attempts': key(
    integerType('COUNT', 1),
    3,
    'failed attempts per payment: those in which the request reached the upstream server',
  ),
  'upstream-timeout': key(
    duration(1),
    '30s',
    'pause of an upstream server after which it counts as failed',
  ),
  'max-connections': key(integerType('COUNT', 1), 2_000, 'maximum open connections'),
  'max-request-body-bytes': key(
    integerType('BYTES', 0),
    1_048_576,
    'maximum size of a forwarded request body in bytes',
  ),
  'tls-cert': key(
    textType('FILE'),
    '',
    'certificate chain in PEM, read again when it changes; a relative path is below the home; empty is plain HTTP',
  ),
  'tls-key': key(
    textType('FILE'),
    '',
    'private key of the certificate in PEM, readable only by the user of the node',
  ),
  insecure: key(
    bool(),
    false,
    'serve plain HTTP beyond this machine: the network can then read proofs and resources',
  ),
  'settler-key': key(
    textType('FILE'),
    '',
    'key of the account that executes authorizations and pays their gas; a relative path is below the home; ' +
      'empty means a dev account under --dev; otherwise authorizations are refused',
  ),
  'max-settle-gas-price': key(
    gasPriceType(),
    '100gwei',
    'highest gas price at which an authorization is executed',
  ),
  'max-settles-per-minute': key(
    integerType('COUNT', 1),
    60_000,
    'maximum authorizations executed per minute',
  ),
  'settler-warn-below': key(
    integerType('COUNT', 0),
    1_000,
    'settlements that the balance of the settler must pay for; below, and each time that half is left, the node logs a warning',
  ),
  facilitator: key(
    bool(),
    false,
    'verify and execute authorizations for other servers at /verify, /settle and /supported; always under --dev; ' +
      'otherwise facilitator-payees or facilitator-tokens say for which servers',
  ),
  'facilitator-payees': key(
    accountAddressList(),
    [],
    'accounts that the facilitator settles payments to; empty means any, for callers with a token',
  ),
  'facilitator-tokens': key(
    textType('FILE'),
    '',
    "file with the callers' tokens for the facilitator, one per line (Authorization: Bearer); a relative path is below the home; " +
      'empty requires no token',
  ),
  'facilitator-min-amount': key(
    optionalTokenAmount(),
    '',
    'minimum amount that the facilitator settles, in tokens; empty means what covers the gas limit of a settlement ' +
      'at the current gas price, by facilitator-token-price',
  ),
  'facilitator-token-price': key(
    tokenAmountType(),
    '1',
    'native tokens per token: the chain has no price, so set it if facilitator-min-amount is empty',
  ),
  'facilitator-max-per-minute': key(
    integerType('COUNT', 1),
    600,
    'maximum payments to one payee that the facilitator settles per minute',
  ),
  'facilitator-max-in-flight': key(
    integerType('COUNT', 1),
    32,
    'maximum payments to one payee that the facilitator settles at the same time',
  ),
} as const
