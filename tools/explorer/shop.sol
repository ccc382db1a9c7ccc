// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// Prepaid balances of customers.
contract Till {
    mapping(address => uint256) public credit;

    error TooLittle(address customer, uint256 credit, uint256 price);

    function pay() external payable {
        credit[msg.sender] += msg.value;
    }

    function charge(address customer, uint256 price) external {
        uint256 left = credit[customer];
        if (left < price) revert TooLittle(customer, left, price);
        credit[customer] = left - price;
    }
}

/// Sells one thing.
contract Shop {
    Till public till = new Till();
    uint256 public sold;

    event Sold(address indexed customer, uint256 price);

    function buy(uint256 price) external {
        sold += 1;
        emit Sold(msg.sender, price);
        till.charge(msg.sender, price);
    }
}
