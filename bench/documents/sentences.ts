/** Draws English sentences, none of which comes twice, to be planted into documents. */
import { mulberry32 } from '../corpus.ts';

/** A sentence takes one word of each row, and no other word but small ones. */
const ROWS = [
  'amber ancient blue brittle broad bronze careful clumsy crooked dusty eager early faded gentle golden grey hollow humble idle jolly lonely narrow noisy pale patient proud rusty scarlet shy silver',
  'ferry baker tram lighthouse orchard teacher barge clock market windmill choir quarry castle gardener harbour museum bridge tailor library sailor chapel station theatre painter kitchen tunnel printer bakery farmer tower',
  'Lisbon Bergen Krakow Valencia Dublin Porto Geneva Tampere Salzburg Utrecht Ghent Bologna Lyon Aarhus Leipzig Seville Malmö Tallinn Riga Verona Basel Zagreb Split Oslo Turin Nantes Bristol Cardiff Gdansk Linz',
  'counts borrows paints collects repairs carries sells hides counts weighs polishes measures draws burns sends stacks washes copies guards rents',
  'seven eleven twelve fourteen nineteen twenty thirty forty fifty sixty seventy eighty ninety',
  'quiet bitter cheap clever cold curious double empty foreign frozen heavy holy iron leather little loose magic painted perfect plastic private rough round salty secret silent smooth sour strange wooden',
  'lanterns umbrellas violins carpets ladders kettles mirrors barrels candles baskets pillows hammers feathers buttons blankets pumpkins saddles trumpets wagons anchors ribbons bottles pencils stamps curtains cherries marbles helmets chimneys whistles',
].map((row) => row.split(' '));

/** Returns a function that draws a sentence such as "The amber ferry of Lisbon counts forty quiet lanterns." */
export function createSentences(seed: number): () => string {
  const random = mulberry32(seed);
  const used = new Set<string>();
  const draw = (): string => {
    const [first, who, city, does, count, kind, what] = ROWS.map(
      (row) => row[Math.floor(random() * row.length)],
    );
    return `The ${first} ${who} of ${city} ${does} ${count} ${kind} ${what}.`;
  };
  return () => {
    for (;;) {
      const sentence = draw();
      if (used.has(sentence)) continue;
      used.add(sentence);
      return sentence;
    }
  };
}
