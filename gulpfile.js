const { rmSync } = require('node:fs');
const { execFileSync } = require('node:child_process');
const { dest, parallel, series, src } = require('gulp');

function clean(done) {
	rmSync('dist', { recursive: true, force: true });
	done();
}

function compile(done) {
	execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.json'], { stdio: 'inherit' });
	done();
}

const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const copyCodex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

exports.assets = parallel(copyIcons, copyCodex);
exports.build = series(clean, compile, exports.assets);
