// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Pays out up to a limit.
contract Vault {
    error OverLimit(uint256 spent, uint256 limit);

    event Paid(address indexed to, uint256 amount);

    uint256 public limit = 100;
    uint256 public spent;
    mapping(address => uint256) public paid;

    function pay(address to, uint256 amount) external returns (uint256) {
        spent = spent + amount;
        paid[to] = paid[to] + amount;
        emit Paid(to, amount);
        if (spent > limit) revert OverLimit(spent, limit);
        return spent;
    }
}

/// Has a vault pay, and asks for its record before and after.
contract Teller {
    Vault public vault = new Vault();
    uint256 public visits;

    function serve(address to, uint256 amount) external {
        visits = visits + 1;
        uint256 before = vault.paid(to);
        vault.pay(to, amount);
        require(vault.paid(to) == before + amount, "not paid");
    }
}
