/** The schema of payments in a database. */
export const PAYMENT_SCHEMA = 'lockstep_payments'

/**
 * The tables, in the order of their changes: a released entry never changes. Hashes, addresses and keys are bytes, times
 * are milliseconds since 1970. The view `payments` is for people.
 */
export const PAYMENT_MIGRATIONS: readonly string[] = [
  `
create table lockstep_payments.sales (
  number integer generated always as identity primary key,
  name bytea not null unique,
  resource text not null,
  chain_id numeric(20) not null,
  asset bytea not null,
  pay_to bytea not null
);
create table lockstep_payments.sale_totals (
  sale integer not null references lockstep_payments.sales,
  part smallint not null,
  payments bigint not null,
  amount numeric not null,
  delivered bigint not null,
  refunds bigint not null,
  refunded numeric not null,
  primary key (sale, part)
);
create table lockstep_payments.claims (
  key bytea primary key check (length(key) = 41),
  phase text not null check (phase in ('held', 'released', 'delivered')),
  is_settled boolean not null,
  owner bytea check ((owner is not null) = (phase = 'held')),
  claimed_at bigint not null,
  delivered_at bigint check ((delivered_at is not null) = (phase = 'delivered')),
  sale integer not null references lockstep_payments.sales,
  request text not null,
  body bytea,
  attempts bigint not null,
  payer bytea not null,
  amount numeric(78) not null,
  tx_hash bytea,
  refund_tx bytea,
  refunded_at bigint check ((refunded_at is not null) = (refund_tx is not null))
);
create index on lockstep_payments.claims (claimed_at, key);
create index on lockstep_payments.claims (tx_hash) where is_settled;
create index on lockstep_payments.claims (owner) where owner is not null;
create table lockstep_payments.owners (
  name bytea primary key,
  beat bigint not null
);
create table lockstep_payments.tokens (
  chain_id numeric(20) not null,
  asset bytea not null,
  symbol text not null,
  decimals smallint not null,
  primary key (chain_id, asset)
);
create table lockstep_payments.challenge_key (
  id boolean primary key default true check (id),
  key bytea not null check (length(key) = 32)
);
create table lockstep_payments.challenges (
  resource text not null,
  second bigint not null,
  primary key (resource, second)
);
create index on lockstep_payments.challenges (second);
create table lockstep_payments.moved (
  id boolean primary key default true check (id),
  target text not null
);
create view lockstep_payments.payments as
select
  case get_byte(c.key, 8) when 0 then 'transfer' else 'authorization' end as kind,
  '0x' || encode(substring(c.key from 10), 'hex') as id,
  s.chain_id,
  case when c.phase = 'held' then case when c.is_settled then 'settled' else 'claimed' end else c.phase end as state,
  s.resource,
  c.request,
  '0x' || encode(c.payer, 'hex') as payer,
  '0x' || encode(s.pay_to, 'hex') as pay_to,
  '0x' || encode(s.asset, 'hex') as asset,
  c.amount,
  c.amount / power(10::numeric, t.decimals) as tokens,
  t.symbol,
  to_timestamp(c.claimed_at / 1000.0) as claimed_at,
  to_timestamp(c.delivered_at / 1000.0) as delivered_at,
  '0x' || encode(case get_byte(c.key, 8) when 0 then substring(c.key from 10) else c.tx_hash end, 'hex') as transaction,
  '0x' || encode(c.refund_tx, 'hex') as refund_transaction
from lockstep_payments.claims c
join lockstep_payments.sales s on s.number = c.sale
left join lockstep_payments.tokens t on t.chain_id = s.chain_id and t.asset = s.asset;
`,
  `
alter table lockstep_payments.claims
  add column refund_raw bytea check (refund_raw is null or refund_tx is not null);
`,
]
