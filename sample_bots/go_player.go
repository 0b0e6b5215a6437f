// A complete bot in one file, with only the Go library.  Compile it with `go build -o mybot mybot.go`.  Make it yours.
//
// The arbiter starts this program, writes lines to its stdin and reads lines from its stdout.  Each line is
// one JSON object.  The arbiter keeps everything that this program writes to stderr, so that you can read it.
//
// This bot attacks pieces that it knows it can beat, else unknown pieces; otherwise it moves forward.
// To make it stronger, change `score`: it makes all decisions.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"math/rand"
	"os"
	"sort"
	"strconv"
)

const NAME = "go"

// What the arbiter adds to each question: all legal actions, and the board as far as we may know it.
var WANTS = []string{"legal", "view"}
var enemyOf, forward = map[string]string{"red": "blue", "blue": "red"}, map[string]int{"red": 1, "blue": -1}

// Message has the fields of all messages and actions that this bot reads.
type Message struct {
	Type, Seat, Phase, Why, Result, Ending, Src, Dst string
	Cards                                            map[string]string
	Seed, Ask                                        int64
	Rules                                            Rules
	Legal                                            []json.RawMessage // sent back unchanged
	View                                             View              // the board, or the cards, as far as we may know them
}

type View struct {
	Pieces, Hand []Piece
	Line         map[string][]Piece
}

// Rules has the parts of the rules that this bot needs.
type Rules struct {
	Ranks []struct {
		Id   string
		Rank int
	}
	Army   map[string]int
	Deploy map[string][]string
	Line   int // the cards of a line in the card game, 0 in board games
}

// Piece is a piece or a card; its rank is "" if it is hidden.
type Piece struct{ Place, Seat, Rank string }

// MyBot is this bot in one game.  A program may be asked to play several games, one after another.
type MyBot struct {
	seat   string // "red" or "blue"; red sits at row 1, blue at row 10
	rules  Rules
	number map[string]int // 0 for bomb and flag
	random *rand.Rand     // uses the seed of the arbiter, so the same game can be played again
}

func newBot(start Message) *MyBot {
	bot := &MyBot{start.Seat, start.Rules, map[string]int{}, rand.New(rand.NewSource(start.Seed))}
	for _, rank := range bot.rules.Ranks {
		bot.number[rank.Id] = rank.Rank
	}
	return bot
}

// Put the whole army on our own squares, one piece to a square.
func (bot *MyBot) deploy(ask *Message) any {
	if bot.rules.Line > 0 {
		return bot.deployLine(ask.View.Hand)
	}
	squares, pieces := bot.rules.Deploy[bot.seat], map[string]string{}
	order := bot.random.Perm(len(squares))
	for _, rank := range bot.rules.Ranks {
		for count := bot.rules.Army[rank.Id]; count > 0; count-- {
			pieces[squares[order[len(pieces)]]] = rank.Id
		}
	}
	return map[string]any{"type": "deploy", "pieces": pieces}
}

// In the card game, lay cards of our hand in the line; a flag that stays in the hand is safe.
func (bot *MyBot) deployLine(hand []Piece) any {
	bot.random.Shuffle(len(hand), func(one, other int) { hand[one], hand[other] = hand[other], hand[one] })
	sort.SliceStable(hand, func(one, other int) bool { return hand[one].Rank != "flag" && hand[other].Rank == "flag" })
	places := make([]string, bot.rules.Line)
	for slot := range places {
		places[slot] = hand[slot].Place
	}
	return map[string]any{"type": "deploy", "line": places}
}

// Return the legal action with the highest score, a random one if several have it.
func (bot *MyBot) choose(ask *Message) any {
	own, enemies := bot.ranks(ask.View, bot.seat), bot.ranks(ask.View, enemyOf[bot.seat])
	best, most := -1, 0.0
	for _, at := range bot.random.Perm(len(ask.Legal)) {
		var action Message
		json.Unmarshal(ask.Legal[at], &action)
		if score := bot.score(action, own, enemies); best < 0 || score > most {
			best, most = at, score
		}
	}
	action := ask.Legal[best]
	ask.Legal = append(ask.Legal[:best], ask.Legal[best+1:]...) // if it is refused, we choose another one
	return action
}

// Return what we know of one side: a map from place to rank, "" if the rank is hidden.
func (bot *MyBot) ranks(view View, seat string) map[string]string {
	ranks := map[string]string{}
	pieces := append(view.Pieces, view.Line[seat]...)
	if seat == bot.seat {
		pieces = append(pieces, view.Hand...)
	}
	for _, piece := range pieces {
		if bot.rules.Line > 0 || piece.Seat == seat {
			ranks[piece.Place] = piece.Rank
		}
	}
	return ranks
}

// Return how good an action is.  All decisions are made here.
func (bot *MyBot) score(action Message, own, enemies map[string]string) float64 {
	for _, place := range action.Cards { // the card game again: keep the flag in the hand
		if own[place] == "flag" {
			return -1
		}
	}
	if action.Type != "move" && action.Type != "attack" {
		return 0 // some rule sets have other actions; they are all in ask.Legal
	}
	target, isAttack := enemies[action.Dst]
	switch {
	case !isAttack: // a step to an empty square
		return float64(bot.rowsForward(action)) / 10
	case target == "": // an unknown piece.  A weak attacker risks little, so it goes first.
		return 2 - float64(bot.number[own[action.Src]])/10
	case bot.beats(own[action.Src], target):
		return 3
	}
	return -3
}

// Return the number of rows that a move goes towards the enemy.
func (bot *MyBot) rowsForward(action Message) int {
	to, _ := strconv.Atoi(action.Dst[1:])
	from, _ := strconv.Atoi(action.Src[1:])
	return (to - from) * forward[bot.seat]
}

// Return true if the attacker would win.
func (bot *MyBot) beats(attacker, defender string) bool {
	if defender == "bomb" || defender == "flag" {
		return defender == "flag" || attacker == "miner"
	}
	return attacker == "spy" && defender == "marshal" || bot.number[attacker] > bot.number[defender]
}

// Send one line.  Never print anything else to stdout: each line there is an answer.
func send(message any) { json.NewEncoder(os.Stdout).Encode(message) }

// Read lines until `bye` or the end of the input, and answer `hello`, `ask` and `refused`.
func main() {
	var bot *MyBot
	var ask Message // the last question
	input := bufio.NewReader(os.Stdin)
	for line, err := input.ReadBytes('\n'); err == nil; line, err = input.ReadBytes('\n') {
		var message Message
		json.Unmarshal(line, &message)
		switch message.Type {
		case "hello":
			send(map[string]any{"type": "ready", "protocol": 1, "name": NAME, "wants": WANTS})
		case "start":
			bot = newBot(message)
		case "refused": // the last question is still open, if the organiser allows another try
			log.Print("refused: ", message.Why)
			message = ask
			fallthrough
		case "ask":
			ask = message
			action := bot.deploy
			if ask.Phase != "setup" {
				action = bot.choose
			}
			send(map[string]any{"type": "act", "ask": ask.Ask, "action": action(&ask)})
		case "over":
			log.Print(message.Result, " by ", message.Ending, ": ", message.Why)
		case "bye":
			return
		}
		// Other messages come from a later version of the arbiter: skip them.
	}
}
