import { key } from './config-key.ts'
import {
  accountAddress,
  accountAddressList,
  bool,
  choice,
  duration,
  gasPrice,
  httpUrl,
  integer,
  listenAddress,
  optionalTokenAmount,
  text,
  tokenAmount,
} from './value-type.ts'

/** The keys of [payments] in app.toml: resources that are served to who has paid for them. */
export const PAYMENTS_KEYS = {
  enable: key(
    bool(),
    false,
    'serve resources to who has paid for them (HTTP 402); under --dev two of them without more',
  ),
  address: key(listenAddress(), '127.0.0.1:8402', 'where they are served; port 0 takes a free one'),
  'public-url': key(
    httpUrl(),
    '',
    'how clients reach that address, such as https://pay.example.com behind a proxy; empty means as they say it in Host',
  ),
  network: key(
    text('NAME'),
    '',
    'name of the chain in x402 v1; empty means the published name of its chain id',
  ),
  asset: key(
    accountAddress(),
    '',
    'contract of the token that is paid in; empty means the dev token under --dev',
  ),
  'pay-to': key(
    accountAddress(),
    '',
    'account that is paid; empty means the last of the dev accounts under --dev',
  ),
  binding: key(
    choice('BINDING', ['bearer', 'reference', 'signed', 'eip3009']),
    'bearer',
    'what a payment must prove beside that it was made: nothing, the reference of its challenge, ' +
      "its payer's signature over the request, or that it is an authorization of EIP-3009",
  ),
  'max-timeout': key(
    duration(1000),
    '5m0s',
    'time from a challenge in which the chain must have its payment',
  ),
  'clock-skew': key(
    duration(),
    '30s',
    'time that a block may be older than the challenge which its payment answers',
  ),
  'receipt-deadline': key(
    duration(),
    '5s',
    'time that a request waits for the block of its payment',
  ),
  'proof-lifetime': key(
    duration(1000),
    '1h0m0s',
    'time after its block in which a payment may be shown',
  ),
  'max-attempts': key(
    integer('COUNT', 1),
    3,
    'failed attempts to serve its request that a payment buys: those that reached the upstream server',
  ),
  'upstream-timeout': key(
    duration(1),
    '30s',
    'pause of an upstream server after which it counts as failed',
  ),
  'max-connections': key(integer('COUNT', 1), 2_000, 'most connections open at a time'),
  'max-request-body-bytes': key(
    integer('BYTES', 0),
    1_048_576,
    'bytes of the largest request body that is passed on',
  ),
  'tls-cert': key(
    text('FILE'),
    '',
    'certificate chain in PEM, read again when it changes; a relative path is below the home; empty is plain HTTP',
  ),
  'tls-key': key(
    text('FILE'),
    '',
    'private key of the certificate in PEM, readable by the user of the node alone',
  ),
  insecure: key(
    bool(),
    false,
    'serve plain HTTP beyond this machine: proofs and resources can then be read on the way',
  ),
  'settler-key': key(
    text('FILE'),
    '',
    'key of the account that carries out authorizations and pays their gas; a relative path is below the home; ' +
      'empty means a dev account under --dev, and elsewhere that authorizations are refused',
  ),
  'max-settle-gas-price': key(
    gasPrice(),
    '100gwei',
    'highest price per unit of gas at which an authorization is carried out',
  ),
  'max-settles-per-minute': key(
    integer('COUNT', 1),
    60_000,
    'most authorizations that are carried out in a minute',
  ),
  facilitator: key(
    bool(),
    false,
    'check and carry out authorizations for other servers at /verify, /settle and /supported; always under --dev; ' +
      'elsewhere facilitator-payees or facilitator-tokens say for whom',
  ),
  'facilitator-payees': key(
    accountAddressList(),
    [],
    'accounts that the facilitator settles payments to; empty means any, for callers with a token',
  ),
  'facilitator-tokens': key(
    text('FILE'),
    '',
    'tokens of the callers of the facilitator, one a line (Authorization: Bearer); a relative path is below the home; ' +
      'empty means that none is asked for',
  ),
  'facilitator-min-amount': key(
    optionalTokenAmount(),
    '',
    'least amount that the facilitator settles, in tokens; empty means what covers the gas limit of a settlement ' +
      "at today's gas price, by facilitator-token-price",
  ),
  'facilitator-token-price': key(
    tokenAmount(),
    '1',
    'native tokens that a token is worth: the chain tells no price, so set it where facilitator-min-amount is empty',
  ),
  'facilitator-max-per-minute': key(
    integer('COUNT', 1),
    600,
    'most payments to one payee that the facilitator settles in a minute',
  ),
  'facilitator-max-in-flight': key(
    integer('COUNT', 1),
    32,
    'most payments to one payee that the facilitator settles at once',
  ),
} as const
