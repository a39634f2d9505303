// n8n reads the nodes and credentials named in package.json; there is nothing to import from here.
module.exports = {};
